// What esbuild.panel.mjs gives.
import type { BuildOptions } from "esbuild";

export const panelBundle: BuildOptions;
