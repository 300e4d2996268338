// What a click opens: fetched with the first that does.
export { FindBox } from "./find.tsx";
export { FlowView } from "./flowView.tsx";
export { MeterDetails } from "./meterDetails.tsx";
export { placesTo, seek } from "./seek.ts";
export { SessionsPage } from "./sessions.tsx";
export { TodoEditor } from "./todoEditor.tsx";
export { TraceView } from "./traceView.tsx";
