/**
 * Warnings of what works and should not be so: a box of root, and a licence key that can be read on its way.
 */
import { isReadable } from '../network.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';

/** Warns before an activation. */
export function warnOfUnencrypted(controlPlaneUrl: string, output: Output): void {
  if (!isReadable(controlPlaneUrl)) return;
  const { origin } = new URL(controlPlaneUrl);
  output.warn(`the licence key can be read on its way to ${origin}, which does not encrypt: use https`, {
    risk: 'unencrypted',
  });
}

/** Warns before a start. */
export function warnOfRoot(output: Output): void {
  if (process.getuid?.() !== 0) return;
  output.warn(
    `the box runs as root, who may do anything on this machine: give it a user of its own with "${vendor} service install", or run the command as another user`,
    { risk: 'root' },
  );
}
