// The palette commands: one table, from which package.json and the registrations are checked.

/** Short name (without `brain.`) to the title in the palette. */
export const commands = {
  runAgent: "Run Agent",
  newSession: "New Session",
  openSession: "Open Session",
  renameSession: "Rename Session",
  forkSession: "Fork Session",
  exportSession: "Export Session",
  deleteSession: "Delete Session",
  restoreSession: "Restore Deleted Session",
  stop: "Stop",
  approveCall: "Approve Pending Call",
  approveAll: "Approve All Pending Calls",
  modifyCall: "Modify Pending Call",
  replaceCall: "Replace Pending Call",
  rejectCall: "Reject Pending Call",
  approvePlan: "Approve Plan",
  rejectPlan: "Reject Plan",
  continueRun: "Continue Paused Run",
  steerRun: "Steer Run",
  undoRun: "Undo Changes of Last Run",
  compactConversation: "Compact Conversation",
  openMemory: "Open Memory",
  createAgent: "Create Agent",
  selectAgent: "Select Agent",
  selectModel: "Select Model",
  setApiKey: "Set API Key",
  removeApiKey: "Remove API Key",
  openSettings: "Open Settings",
  showLog: "Show Log",
} as const;

export type CommandName = keyof typeof commands;
