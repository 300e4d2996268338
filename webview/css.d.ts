// Style sheets are imported for esbuild to bundle; they give no values.
declare module "*.css";
