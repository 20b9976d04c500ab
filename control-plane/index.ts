/**
 * The vendor's service, for running it inside another process.
 */

export type { ControlPlaneOptions } from './services.ts';
export { type RunningControlPlane, startControlPlane } from './start-control-plane.ts';
