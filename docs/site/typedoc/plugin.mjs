// Fits TypeDoc to this library: what is a namespace or an interface for a reader is documented as one, a layer's page
// does not repeat what every layer has, names are listed for the site's search, and sources are shown as pages.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { Application, Comment, Context, Converter, ReflectionKind, RendererEvent } from "typedoc";
import { linkInherited } from "./inheritance.mjs";
import { publicNames } from "./names.mjs";
import { writePlainTypes } from "./plain_types.mjs";
import { BASE, linkSources, writeSources } from "./sources.mjs";

/** What a tag tells TypeDoc of a declaration: by its name, if it has one, its kind, and the file that declares it. */
const TAGS = [
  { name: "torch", file: /\/lib\/torch\/torch\.ts$/, kind: ReflectionKind.Variable, tag: "@namespace" },
  {
    name: "Tensor",
    file: /\/lib\/torch\/tensor\/tensor\.ts$/,
    kind: ReflectionKind.TypeAlias,
    tag: "@interface",
  },
  {
    name: "Module",
    file: /\/lib\/torch\/nn\/module\/module\.ts$/,
    kind: ReflectionKind.Variable,
    tag: "@class",
  },
  { file: /\/lib\/torch\/nn\/functional\//, kind: ReflectionKind.Variable, tag: "@function" },
];

/** @param {import("typedoc").Application} app */
export function load(app) {
  tagDeclarations();
  app.on(Application.EVENT_BOOTSTRAP_END, () =>
    app.options.setValue("navigationLinks", {
      Guides: `${BASE}guides/install.html`,
      Lessons: `${BASE}lessons/index.html`,
      API: `${BASE}reference/index.html`,
    }),
  );
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => keepTexts(project), 1000);
  // After TypeDoc has written addresses of its own.
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => linkSources(project), -1000);
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    linkInherited(project);
    writePlainTypes(project);
  });
  app.renderer.on(RendererEvent.END, ({ project, outputDirectory }) => {
    const names = publicNames(project, app.renderer.router);
    writeFileSync(path.join(outputDirectory, "../../../names.json"), JSON.stringify(names));
  });
  app.renderer.postRenderAsyncJobs.push(({ project, outputDirectory }) =>
    writeSources(project, path.join(outputDirectory, "../source")),
  );
}

/** Shapes (`[batch, source]: ...`) are no references to links, and types (`Tensor<[2]>`) no HTML. */
function keepTexts(project) {
  const comments = Object.values(project.reflections).flatMap(({ comment }) => comment ?? []);
  const texts = [...new Set(comments)].flatMap(({ summary, blockTags }) => [
    ...summary,
    ...blockTags.flatMap(({ content }) => content),
  ]);
  for (const part of texts) {
    if (part.kind === "relative-link") part.kind = "text";
    // Indented lines are code.
    if (part.kind === "text")
      part.text = part.text.replaceAll(/^(?! {4}).*$/gm, (line) =>
        line.replaceAll("[", "\\[").replaceAll("<", "&lt;"),
      );
  }
}

/** TypeDoc asks for a tag in the declaration's comment. There, it would stand in every editor's help. */
function tagDeclarations() {
  const { getComment } = Context.prototype;
  Context.prototype.getComment = function (symbol, kind) {
    const found = TAGS.find(
      (one) =>
        (one.name === undefined || one.name === symbol.name) &&
        one.kind === kind &&
        symbol.declarations?.some((declaration) => one.file.test(declaration.getSourceFile().fileName)),
    );
    const comment = getComment.call(this, symbol, kind);
    if (found === undefined) return comment;
    const tagged = comment ?? new Comment();
    tagged.modifierTags.add(found.tag);
    return tagged;
  };
}
