// Says that what was clicked on could not be fetched, and tries again.
import { useTools } from "./context.ts";
import { Button, Icon } from "./icon.tsx";
import { t } from "./l10n.ts";
import { useLazy } from "./lazy.ts";

export function NotLoaded() {
  const { more } = useTools();
  const failed = useLazy(more, (part) => part.failed());
  if (!failed) return null;
  return (
    <div class="banner" role="alert">
      <Icon name="warning" />
      <span class="banner-text">
        {t("A file of Brain could not be loaded. Try again; after an update of Brain reload the window.")}
      </span>
      <Button title={t("Load it once more")} onClick={() => void more.fetch()}>
        {t("Try Again")}
      </Button>
    </div>
  );
}
