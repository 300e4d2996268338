// Colours of three of the editor's own themes, as it hands them to a webview.

export type ThemeName = "dark" | "light" | "contrast";

interface Theme {
  /** What the editor sets on the body of a webview. */
  readonly bodyClass: string;
  readonly colours: Readonly<Record<string, string>>;
}

const fonts = {
  "font-family": '"Segoe WPC", "Segoe UI", Ubuntu, "DejaVu Sans", sans-serif',
  "font-size": "13px",
  "font-weight": "normal",
  "editor-font-family": '"DejaVu Sans Mono", Consolas, monospace',
  "editor-font-size": "13px",
};

const dark: Theme = {
  bodyClass: "vscode-dark",
  colours: {
    ...fonts,
    foreground: "#cccccc",
    descriptionForeground: "#9d9d9d",
    errorForeground: "#f85149",
    focusBorder: "#0078d4",
    "icon-foreground": "#cccccc",
    "sideBar-background": "#181818",
    "sideBar-foreground": "#cccccc",
    "panel-border": "#2b2b2b",
    "widget-border": "#313131",
    "editor-background": "#1f1f1f",
    "editor-foreground": "#cccccc",
    "editorLineNumber-foreground": "#6e7681",
    "input-background": "#313131",
    "input-border": "#3c3c3c",
    "input-foreground": "#cccccc",
    "input-placeholderForeground": "#989898",
    "inputOption-activeBackground": "#2489db82",
    "inputOption-activeBorder": "#2488db",
    "inputOption-activeForeground": "#ffffff",
    "inputValidation-errorBackground": "#5a1d1d",
    "inputValidation-errorBorder": "#be1100",
    "dropdown-background": "#313131",
    "dropdown-border": "#3c3c3c",
    "dropdown-foreground": "#cccccc",
    "button-background": "#0078d4",
    "button-foreground": "#ffffff",
    "button-hoverBackground": "#026ec1",
    "button-border": "#ffffff1a",
    "button-secondaryBackground": "#313131",
    "button-secondaryForeground": "#cccccc",
    "button-secondaryHoverBackground": "#3c3c3c",
    "badge-background": "#616161",
    "badge-foreground": "#f8f8f8",
    "textLink-foreground": "#4daafc",
    "textPreformat-foreground": "#d0d0d0",
    "textPreformat-background": "#3c3c3c",
    "textCodeBlock-background": "#2b2b2b",
    "textBlockQuote-border": "#616161",
    "list-hoverBackground": "#2a2d2e",
    "toolbar-hoverBackground": "#5a5d5e50",
    "diffEditor-insertedLineBackground": "#9bb95533",
    "diffEditor-removedLineBackground": "#ff000033",
    "editorGutter-modifiedBackground": "#0078d4",
    "gitDecoration-addedResourceForeground": "#81b88b",
    "gitDecoration-deletedResourceForeground": "#c74e39",
    "testing-iconPassed": "#73c991",
    "testing-iconFailed": "#f14c4c",
    "editorWarning-foreground": "#cca700",
    "editorError-foreground": "#f14c4c",
    "progressBar-background": "#0078d4",
    "debugTokenExpression-name": "#c586c0",
    "debugTokenExpression-string": "#ce9178",
    "debugTokenExpression-number": "#b5cea8",
    "debugTokenExpression-boolean": "#4e94ce",
    "symbolIcon-functionForeground": "#b180d7",
    "scrollbarSlider-background": "#79797966",
  },
};

const light: Theme = {
  bodyClass: "vscode-light",
  colours: {
    ...fonts,
    foreground: "#3b3b3b",
    descriptionForeground: "#3b3b3b",
    errorForeground: "#f85149",
    focusBorder: "#005fb8",
    "icon-foreground": "#3b3b3b",
    "sideBar-background": "#f8f8f8",
    "sideBar-foreground": "#3b3b3b",
    "panel-border": "#e5e5e5",
    "widget-border": "#e5e5e5",
    "editor-background": "#ffffff",
    "editor-foreground": "#3b3b3b",
    "editorLineNumber-foreground": "#6e7681",
    "input-background": "#ffffff",
    "input-border": "#cecece",
    "input-foreground": "#3b3b3b",
    "input-placeholderForeground": "#767676",
    "inputOption-activeBackground": "#bed6ed",
    "inputOption-activeBorder": "#005fb8",
    "inputOption-activeForeground": "#000000",
    "inputValidation-errorBackground": "#f2dede",
    "inputValidation-errorBorder": "#be1100",
    "dropdown-background": "#ffffff",
    "dropdown-border": "#cecece",
    "dropdown-foreground": "#3b3b3b",
    "button-background": "#005fb8",
    "button-foreground": "#ffffff",
    "button-hoverBackground": "#0258a8",
    "button-border": "#0000001a",
    "button-secondaryBackground": "#e5e5e5",
    "button-secondaryForeground": "#3b3b3b",
    "button-secondaryHoverBackground": "#cccccc",
    "badge-background": "#cccccc",
    "badge-foreground": "#3b3b3b",
    "textLink-foreground": "#005fb8",
    "textPreformat-foreground": "#3b3b3b",
    "textPreformat-background": "#0000001f",
    "textCodeBlock-background": "#f8f8f8",
    "textBlockQuote-border": "#e5e5e5",
    "list-hoverBackground": "#f2f2f2",
    "toolbar-hoverBackground": "#b8b8b850",
    "diffEditor-insertedLineBackground": "#9bb95533",
    "diffEditor-removedLineBackground": "#ff000033",
    "editorGutter-modifiedBackground": "#005fb8",
    "gitDecoration-addedResourceForeground": "#587c0c",
    "gitDecoration-deletedResourceForeground": "#ad0707",
    "testing-iconPassed": "#388a34",
    "testing-iconFailed": "#f14c4c",
    "editorWarning-foreground": "#bf8803",
    "editorError-foreground": "#e51400",
    "progressBar-background": "#005fb8",
    "debugTokenExpression-name": "#9b46b0",
    "debugTokenExpression-string": "#a31515",
    "debugTokenExpression-number": "#098658",
    "debugTokenExpression-boolean": "#0000ff",
    "symbolIcon-functionForeground": "#652d90",
    "scrollbarSlider-background": "#64646466",
  },
};

const contrast: Theme = {
  bodyClass: "vscode-high-contrast",
  colours: {
    ...fonts,
    foreground: "#ffffff",
    descriptionForeground: "#ffffffb3",
    errorForeground: "#f48771",
    focusBorder: "#f38518",
    contrastBorder: "#6fc3df",
    contrastActiveBorder: "#f38518",
    "icon-foreground": "#ffffff",
    "sideBar-background": "#000000",
    "sideBar-foreground": "#ffffff",
    "panel-border": "#6fc3df",
    "widget-border": "#6fc3df",
    "editor-background": "#000000",
    "editor-foreground": "#ffffff",
    "editorLineNumber-foreground": "#ffffff",
    "input-background": "#000000",
    "input-border": "#6fc3df",
    "input-foreground": "#ffffff",
    "input-placeholderForeground": "#ffffffb3",
    "inputOption-activeBackground": "#00000000",
    "inputOption-activeBorder": "#6fc3df",
    "inputOption-activeForeground": "#ffffff",
    "inputValidation-errorBackground": "#000000",
    "inputValidation-errorBorder": "#6fc3df",
    "dropdown-background": "#000000",
    "dropdown-border": "#6fc3df",
    "dropdown-foreground": "#ffffff",
    "button-foreground": "#ffffff",
    "button-border": "#6fc3df",
    "button-secondaryForeground": "#ffffff",
    "badge-background": "#000000",
    "badge-foreground": "#ffffff",
    "textLink-foreground": "#21a6ff",
    "textPreformat-foreground": "#000000",
    "textPreformat-background": "#ffffff",
    "textCodeBlock-background": "#000000",
    "textBlockQuote-border": "#ffffff",
    "list-hoverBackground": "#ffffff1a",
    "toolbar-hoverOutline": "#f38518",
    "diffEditor-insertedTextBorder": "#33ff2eff",
    "diffEditor-removedTextBorder": "#ff008f",
    "editorGutter-modifiedBackground": "#1b81a8",
    "gitDecoration-addedResourceForeground": "#a1e3ad",
    "gitDecoration-deletedResourceForeground": "#c74e39",
    "testing-iconPassed": "#73c991",
    "testing-iconFailed": "#f14c4c",
    "editorWarning-foreground": "#ffd370",
    "editorError-foreground": "#f48771",
    "progressBar-background": "#6fc3df",
    "debugTokenExpression-name": "#ffffff",
    "debugTokenExpression-string": "#f48771",
    "debugTokenExpression-number": "#89d185",
    "debugTokenExpression-boolean": "#75bdfe",
    "symbolIcon-functionForeground": "#b180d7",
    "scrollbarSlider-background": "#6fc3df99",
  },
};

export const themes: Readonly<Record<ThemeName, Theme>> = { dark, light, contrast };

/** The theme as the style sheet of a page, with what else the editor puts into a webview. */
export function themeCss(name: ThemeName): string {
  const { colours } = themes[name];
  const variables = Object.entries(colours).map(([key, value]) => `--vscode-${key}: ${value};`);
  return `:root { color-scheme: ${name === "light" ? "light" : "dark"}; ${variables.join(" ")} }
    html { background: var(--vscode-sideBar-background); scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
    @layer vscode-default {
      body { margin: 0; padding: 0 20px; color: var(--vscode-editor-foreground); background: transparent; }
      a, a code { color: var(--vscode-textLink-foreground); }
      a:hover { color: var(--vscode-textLink-activeForeground); }
      code { font-family: monospace; color: var(--vscode-textPreformat-foreground);
        background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
      pre code { padding: 0; }
      blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
      kbd { background-color: var(--vscode-keybindingLabel-background); color: var(--vscode-keybindingLabel-foreground);
        border: 1px solid #3338; border-radius: 3px; padding: 1px 3px; }
    }`;
}
