/**
 * The vendor's service, for running it inside another process.
 */
export { type RunningControlPlane, startControlPlane } from './boot.ts';
export type { ControlPlaneOptions } from './services.ts';
