// Shows a Vega or Vega-Lite specification that is a plain object, as the packages that make one return it.
import { checkedPicture } from "../../../lib/charts/picture.ts";
import { isVegaSchema, type Specification, VEGA_LITE_MIME } from "../../../lib/charts/chart_style.ts";
import { requireJson } from "../../../lib/json.ts";
import type { MimeBundle } from "../../session/channel.ts";
import { isPlainObject } from "../objects.ts";

const VEGA_MIME = "application/vnd.vega.v5+json";
/** JupyterLab draws this version, and no later one. */
const LITE_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json";
const VEGA_SCHEMA = "https://vega.github.io/schema/vega/v5.json";
const VERSION = /\/schema\/vega(?:-lite)?\/v(\d+)/;

const MARKS = new Set(
  "arc area bar boxplot circle errorband errorbar geoshape image line point rect rule square text tick trail".split(
    " ",
  ),
);
const COMPOSED = ["layer", "hconcat", "vconcat", "concat"];

/** Null if the value is no specification. Rejects if it cannot be drawn, with the place of the error. */
export function specificationBundle(value: unknown): Promise<MimeBundle> | null {
  return isSpecification(value) ? bundleOf(value) : null;
}

/**
 * Recognizes a specification by its `$schema`. Without one, it needs a Vega-Lite mark with an encoding, or data with
 * composed charts.
 */
function isSpecification(value: unknown): value is Specification {
  if (!isPlainObject(value)) return false;
  // A table's record throws where another name than its own is read.
  const own: Specification = { ...value };
  const { $schema, encoding, data } = own;
  if ($schema !== undefined) return typeof $schema === "string" && VERSION.test($schema);
  return (hasMark(own) && isPlainObject(encoding)) || (isPlainObject(data) && isComposed(own));
}

const isMarkOrComposed = (own: Specification, levels: number): boolean =>
  hasMark(own) || isComposed(own, levels);

function hasMark({ mark }: Specification): boolean {
  const type = isPlainObject(mark) ? mark["type"] : mark;
  return typeof type === "string" && MARKS.has(type);
}

/** Charts are nested a few levels deep at most. The limit also ends the search in an object that contains itself. */
function isComposed(value: Specification, levels = 5): boolean {
  const isPart = (part: unknown) => isPlainObject(part) && isMarkOrComposed({ ...part }, levels - 1);
  return (
    levels > 0 &&
    COMPOSED.some((name) => {
      const parts = value[name];
      return Array.isArray(parts) && parts.length > 0 && parts.every(isPart);
    })
  );
}

async function bundleOf(given: Specification): Promise<MimeBundle> {
  const schema = given["$schema"];
  const isVega = isVegaSchema(schema);
  const language = isVega ? "Vega" : "Vega-Lite";
  requireJson(given, `The ${language} specification: specification`);
  // The specification as JSON: a date becomes its text.
  const plain = JSON.parse(JSON.stringify(given)) as Specification;
  const drawn: Specification = { ...plain, $schema: isVega ? VEGA_SCHEMA : LITE_SCHEMA };
  const version = typeof schema === "string" ? Number(VERSION.exec(schema)?.[1]) : 5;
  const isClear = [undefined, "transparent"].includes(drawn["background"] as string | undefined);
  const paper = isClear ? { ...drawn, background: "white" } : drawn;
  const picture = checkedPicture(isVega ? VEGA_MIME : VEGA_LITE_MIME, drawn, paper, (warnings) =>
    [summaryOf(plain, language), ...warnings.slice(0, 3).map((warning) => `Warning: ${warning}`)].join("\n"),
  );
  // The renderer's message becomes part of one about the specification. The renderer's error is no cause of it: a
  // reader would read the same words twice.
  return picture.catch((error: Error) => {
    if (!(error instanceof TypeError)) throw error;
    const newer = version > 5 ? ` It says that it is of version ${version}, and is drawn as version 5.` : "";
    const reason = error.message.replace(/^the chart could not be drawn: /, "").replace(/\.$/, "");
    throw new TypeError(`The ${language} specification cannot be drawn: ${reason}.${newer}`);
  });
}

/** `Vega-Lite chart: Sales by month; bar of month and sales; 12 rows.` */
function summaryOf(specification: Specification, language: string): string {
  const { title, data, mark, encoding } = specification;
  const text = isPlainObject(title) ? title["text"] : title;
  const type = isPlainObject(mark) ? mark["type"] : mark;
  const channels = isPlainObject(encoding) ? Object.values(encoding).filter(isPlainObject) : [];
  const fields = channels.map((channel) => channel["field"]).filter((field) => typeof field === "string");
  const values = isPlainObject(data) ? data["values"] : undefined;
  const parts = [
    ...(text === undefined || text === null ? [] : [[text].flat().map(String).join(" ")]),
    ...(typeof type === "string"
      ? [fields.length > 0 ? `${type} of ${[...new Set(fields)].join(", ")}` : type]
      : []),
    ...(Array.isArray(values) ? [`${values.length} ${values.length === 1 ? "row" : "rows"}`] : []),
  ];
  return parts.length === 0 ? `${language} chart.` : `${language} chart: ${parts.join("; ")}.`;
}
