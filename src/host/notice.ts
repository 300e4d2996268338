// One notification of the system when something waits for a person who looks elsewhere: the editor has none for extensions.
import { execFile } from "node:child_process";

export interface Notice {
  /** So much waits now, in words: told once, and again only after it was seen. */
  readonly waits: (count: number, words: string) => void;
  /** The window came to the front. */
  readonly seen: () => void;
}

/** @param away whether the window is not in front */
export function createNotice(away: () => boolean, tell: (words: string) => void): Notice {
  let told = false;
  return {
    waits(count, words) {
      if (count === 0) told = false;
      else if (!told && away()) {
        told = true;
        tell(words);
      }
    },
    seen: () => void (told = false),
  };
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables beside the editor's own. */
  readonly env?: Readonly<Record<string, string>>;
}

const applescript = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

/** Toasts belong to a registered program: Windows has one of its own for PowerShell. */
const powershell = `
$kind = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$toast = $kind::GetTemplateContent([Windows.UI.Notifications.ToastTemplateType]::ToastText02)
$texts = $toast.GetElementsByTagName('text')
[void]$texts.Item(0).AppendChild($toast.CreateTextNode($env:BRAIN_NOTICE_TITLE))
[void]$texts.Item(1).AppendChild($toast.CreateTextNode($env:BRAIN_NOTICE_TEXT))
$from = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
$kind::CreateToastNotifier($from).Show([Windows.UI.Notifications.ToastNotification]::new($toast))`;

/** What shows a notification on a system; no text of it is ever part of a script. Null where there is no such program. */
export function noticeProgram(platform: string, title: string, text: string): Program | null {
  if (platform === "linux") return { file: "notify-send", args: ["--app-name", title, "--", title, text] };
  if (platform === "darwin")
    return { file: "osascript", args: [...applescript.flatMap((line) => ["-e", line]), title, text] };
  if (platform !== "win32") return null;
  const env = { BRAIN_NOTICE_TITLE: title, BRAIN_NOTICE_TEXT: text };
  return { file: "powershell.exe", args: ["-NoProfile", "-NonInteractive", "-Command", powershell], env };
}

/** Milliseconds after which a program that shows a notification counts as one that could not. */
const longest = 10_000;

/** Runs it. @returns false when it is not there, or failed */
export function runNotice({ file, args, env }: Program): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env }, timeout: longest, windowsHide: true };
    execFile(file, [...args], options, (error) => resolve(error === null));
  });
}
