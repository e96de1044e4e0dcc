// Bundles the viewer: `node build.mjs FOLDER` writes viewer.js and viewer.css there.
import { build } from "esbuild";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}
await build({
  entryPoints: { viewer: "main.ts" },
  outdir: folder,
  absWorkingDir: import.meta.dirname,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
});
await build({
  entryPoints: { viewer: "viewer.css" },
  outdir: folder,
  absWorkingDir: import.meta.dirname,
  minify: true,
  charset: "ascii",
});
