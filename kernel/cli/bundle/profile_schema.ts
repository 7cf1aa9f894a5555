// The JSON schema of a profile among a run's results: both machines export it, so that their operators can be compared.

export const PROFILE_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "A profile of lab.logbook.record({ results: { profile } })",
  type: "object",
  required: ["clock", "totalMs", "operators"],
  properties: {
    clock: { enum: ["device", "host"] },
    totalMs: { type: "number", minimum: 0 },
    operators: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "calls", "ms"],
        properties: {
          name: { type: "string", minLength: 1 },
          calls: { type: "integer", minimum: 1 },
          ms: { type: "number", minimum: 0 },
        },
      },
    },
  },
} as const;
