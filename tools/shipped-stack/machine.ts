/**
 * The machine of a partner: a folder with the binary and a licence key and nothing else, and an empty environment.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { boxFolder, localUrl, type StackSettings } from './settings.ts';

export interface CommandResult {
  code: number;
  output: string;
}

export function machineFolder({ folder }: Pick<StackSettings, 'folder'>): string {
  return join(folder, 'machine');
}

/** Runs the binary. */
export function carton(settings: Pick<StackSettings, 'folder'>, parameters: readonly string[]): Promise<CommandResult> {
  return runOnMachine(settings, join(machineFolder(settings), 'carton'), parameters);
}

/** Runs a program in the folder of the machine. */
export async function runOnMachine(
  settings: Pick<StackSettings, 'folder'>,
  program: string,
  parameters: readonly string[],
  input = '',
): Promise<CommandResult> {
  const child = spawn(program, parameters, { cwd: machineFolder(settings), env: {} });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  // A command that fails may not read it.
  child.stdin.on('error', () => {}).end(input);
  const [code] = await once(child, 'close');
  return { code, output };
}

/** Runs a command of the binary for the box of the machine. @throws Error with its output if it fails */
export async function cartonOfBox(
  settings: Pick<StackSettings, 'folder'>,
  command: string,
  ...parameters: string[]
): Promise<string> {
  const { code, output } = await carton(settings, [...command.split(' '), '--dir', boxFolder(settings), ...parameters]);
  if (code !== 0) throw new Error(`carton ${command} exited with ${code}: ${output}`);
  return output;
}

/** Makes the machine and installs a box on it, which runs afterwards. */
export async function installBox(root: string, settings: StackSettings): Promise<void> {
  const folder = machineFolder(settings);
  await mkdir(folder, { mode: 0o711 });
  await copyFile(join(root, 'dist', `carton-linux-${process.arch}`), join(folder, 'carton'));
  await writeFile(join(folder, 'key'), settings.licenceKey, { mode: 0o600 });
  const { ports, secrets } = settings;
  const controlPlane = ['--control-plane', localUrl(ports.controlPlane)];
  await cartonOfBox(settings, 'install', '--key-file', 'key', ...controlPlane, '--port', String(ports.box));
  await cartonOfBox(
    settings,
    'config set',
    `METRICS_SECRET=${secrets.metrics}`,
    // Clients here have no TLS.
    'SECURE_COOKIES=false',
    // A member registers only a few times from one address: the subjects name others.
    'TRUST_PROXY=loopback',
    // The suite sends thousands of requests a minute from one address.
    ...['READ', 'WRITE', 'CHECKOUT', 'LOGIN'].map((name) => `RATE_LIMIT_${name}=0`),
    'SMTP_HOST=127.0.0.1',
    `SMTP_PORT=${ports.mailOfBox}`,
    'SMTP_TLS=none',
    'MAIL_FROM=box@mail.example',
    '--restart',
  );
}
