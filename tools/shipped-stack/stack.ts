/**
 * A stack of everything as it is shipped, made once, with a box from sources to compare with if that is wanted.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../runtime/db/embedded.ts';
import { installServices, readServices } from './containerfile.ts';
import { cartonOfBox, installBox } from './machine.ts';
import { startMailServers } from './mails.ts';
import type { RunningService } from './processes.ts';
import {
  boxFolder,
  logFile,
  newStackSettings,
  readStackSettings,
  type StackSettings,
  saveStackSettings,
  servicesFolder,
} from './settings.ts';
import { startSourceBox } from './source-box.ts';
import { buildInstaller, buildPackages, mintKey, publishPackages, startVendor } from './vendor.ts';

export interface Stack {
  settings: StackSettings;
  /** Names of services that have ended by themselves. */
  ended(): string[];
  stop(): Promise<void>;
}

export interface StackOptions {
  /** The checkout. */
  root: string;
  folder: string;
  /** Receives a line for each step. */
  say(line: string): void;
  /** True for a box from sources beside the installed one. */
  compared: boolean;
  /** Called before a step in a process of its own; the result when that exits. */
  measure(step: string): () => void;
}

/** Builds, publishes and installs everything in an empty folder, and leaves it running. */
export async function makeStack(options: StackOptions): Promise<Stack> {
  const { root, folder, say, measure } = options;
  const settings = await newStackSettings(folder);
  const timed = async <Result>(step: string, work: (exited: () => void) => Promise<Result>): Promise<Result> => {
    const start = performance.now();
    const result = await work(measure(step));
    say(`${step} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    return result;
  };
  const log = logFile(settings, 'install-services');
  await Promise.all([
    timed('services installed', (exited) => installServices(root, servicesFolder(settings), { log, exited })),
    timed('packages built', (exited) => buildPackages(root, settings, exited)).then(() =>
      timed('installer built', (exited) => buildInstaller(root, settings, exited)),
    ),
  ]);
  return start(options, settings, async () => {
    await timed('packages published', (exited) => publishPackages(root, settings, exited));
    settings.licenceKey = await mintKey(settings);
    await timed('box installed', (exited) => installBox(root, settings).finally(exited));
    await saveStackSettings(settings);
  });
}

/** Starts a stack that was made before. */
export async function openStack(options: StackOptions): Promise<Stack> {
  const settings = await readStackSettings(options.folder);
  return start(options, settings, async () => {
    await cartonOfBox(settings, 'start');
  });
}

/** @param startBox installs or starts the box once the vendor's services run */
async function start(
  { root, compared }: StackOptions,
  settings: StackSettings,
  startBox: () => Promise<void>,
): Promise<Stack> {
  const services: RunningService[] = [];
  const stack: Stack = {
    settings,
    ended: () => services.filter((service) => !service.isRunning()).map(({ name }) => name),
    async stop() {
      if (existsSync(join(boxFolder(settings), 'box.json'))) await cartonOfBox(settings, 'stop');
      for (const service of services.splice(0).reverse()) await service.stop();
    },
  };
  try {
    // Of the control plane and the box from sources: the installed box brings its own.
    const postgres = await startEmbeddedPostgres({
      directory: join(settings.folder, 'postgresql'),
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '100' },
    });
    services.push({ name: 'PostgreSQL', isRunning: () => true, stop: postgres.stop });
    services.push(await startMailServers(settings));
    const images = await readServices(root, servicesFolder(settings));
    await startVendor(settings, images, await databaseOf(postgres.url, 'control_plane'), (each) => services.push(each));
    await startBox();
    if (compared) services.push(await startSourceBox(root, settings, await databaseOf(postgres.url, 'source_box')));
    return stack;
  } catch (error) {
    await stack.stop().catch(() => {});
    throw error;
  }
}

/** Returns the URL of a database, which is created if it is missing. */
async function databaseOf(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
