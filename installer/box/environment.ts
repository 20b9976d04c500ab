/**
 * The environment of a box, without what `box.env` adds to it (declared-settings.ts).
 */
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { lockFileName, runAsNode } from '../vendor.ts';
import { type BoxFolder, releaseFolder } from './folder.ts';
import type { BoxSecrets } from './settings.ts';

/** The release to start and its settings. */
export interface Launch {
  release: string;
  host: string;
  port: number;
  secrets: Partial<BoxSecrets>;
  /** Whether the box is only checked: it does no background work (runtime/start-service/supervisor.ts). */
  checked?: boolean;
}

/** Tells a box that it is only checked. */
export const checkVariable = 'SUPERVISOR_CHECK';

/** Variables that the box inherits from the command. Everything else belongs in `box.env`, so that a box behaves the same
 * whether it is started by hand or by a service manager. */
export const inheritedVariables = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LOG_LEVEL',
  'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]; // biome-ignore format: compact

/** What the command sets and the box inherits. What is inherited, `box.env` may override; what is set, it may not. */
export function commonEnvironment(folder: BoxFolder, { release, host, port, checked }: Omit<Launch, 'secrets'>) {
  const inherited: Record<string, string> = {};
  for (const name of inheritedVariables) {
    const value = process.env[name];
    if (value) inherited[name] = value;
  }
  const set: Record<string, string> = {
    HOST: host,
    PORT: String(port),
    BOX_HOME: folder.root,
    BOX_PACKAGES: join(releaseFolder(folder, release), lockFileName),
    ...(checked && { [checkVariable]: '1' }),
    ...(isSea() && { [runAsNode]: '1' }),
  };
  return { inherited, set };
}
