/**
 * The vendor's service, for whoever runs it inside another process.
 */
export { type ControlPlaneOptions, type RunningControlPlane, startControlPlane } from './boot.ts';
