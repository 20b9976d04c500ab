/**
 * The commands as functions, for programs that install and run a box themselves. Each throws a `Failure` whose `code` is
 * in the table of exit codes.
 */
export { findProcesses, isAlive } from './box/process-table.ts';
export type { RunningBox } from './box/running.ts';
export { type DoctorOptions, doctor, type Finding } from './commands/doctor/doctor.ts';
export { type InstallResult, install } from './commands/install/install.ts';
export type { InstallOptions } from './commands/install/options.ts';
export { restart } from './commands/restart/restart.ts';
export {
  type ForegroundResult,
  type StartOptions,
  type StartResult,
  start,
  startInForeground,
} from './commands/start/start.ts';
export { type StatusOptions, type StatusResult, status } from './commands/status/status.ts';
export { type StopOptions, type StopResult, stop } from './commands/stop/stop.ts';
export { type UninstallOptions, type UninstallResult, uninstall } from './commands/uninstall/uninstall.ts';
export { type ExitCode, exitCodes } from './exit-codes.ts';
export { Failure } from './failure.ts';
export { jsonOutput } from './output/json.ts';
export { type Output, silent } from './output/output.ts';
export { plainOutput } from './output/plain.ts';
