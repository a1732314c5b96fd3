// SPDX-License-Identifier: BSD-3-Clause
// Builds python/orrery/page/assets/page.js, with the licences of what is in it. Its first line says of which sources it is.

import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const target = join(here, "../../python/orrery/page/assets/page.js");

const sources = ["package-lock.json", ...readdirSync(join(here, "src"), { recursive: true, encoding: "utf-8" }).filter((name) => name.endsWith(".ts")).map((name) => `src/${name}`)].sort();
const digest = createHash("sha256");
for (const name of sources) digest.update(readFileSync(join(here, name)));

const result = await build({
  entryPoints: [join(here, "src/main.ts")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  write: false,
});
const packages = [...new Set(Object.keys(result.metafile.inputs).flatMap((name) => name.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))].sort();
const licences = packages.map((name) => {
  const { version, license } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf-8"));
  const file = readdirSync(join(here, "node_modules", name)).find((one) => /^licen[cs]e/i.test(one));
  return `${name} ${version} (${license})\n\n${readFileSync(join(here, "node_modules", name, file), "utf-8").trim()}`;
});
copyFileSync(join(here, "node_modules/uplot/dist/uPlot.min.css"), join(target, "../uplot.css"));
const text = result.outputFiles[0].text.replaceAll("</script", "<\\/script");
writeFileSync(target, `// Orrery's pages. Sources: tools/page, ${digest.digest("hex")}\n${text}`);
writeFileSync(join(here, "../../python/orrery/page/assets/LICENCES.txt"), `What page.js contains besides Orrery's own scripts:\n\n${licences.join("\n\n----\n\n")}\n`);
