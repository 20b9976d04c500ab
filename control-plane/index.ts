/**
 * The vendor's service, for whoever runs it inside another process.
 */
export { type RunningControlPlane, startControlPlane } from './boot.ts';
export type { ControlPlaneOptions } from './services.ts';
