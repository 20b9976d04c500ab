/**
 * The vendor's side of a rig: a control plane and two registries with the same packages, each a process of its own that
 * can be killed and started again.
 */
import { randomBytes } from 'node:crypto';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageName } from '@carton/runtime';
import { type Caller, callerOf, freePort } from '@carton/runtime/testing';
import { startS3Service } from '../../control-plane/registry/testing/s3-service.ts';
import {
  type BuiltPackage,
  buildPackages,
  makeRelease,
  publishPackages,
  publishRelease,
  readContents,
} from '../../tools/packages/index.ts';
import { readWorkspace, repository } from '../../tools/packages/sources.ts';
import { urlOfEmbedded } from './postgres.ts';
import { controlPlaneProgram, startProgram, untilResponds } from './programs.ts';
import type { Stage } from './rig.ts';

export interface VendorService {
  readonly name: string;
  readonly url: string;
  start(): Promise<void>;
  /** Sends SIGKILL; resolves once the process has ended. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  /** Bytes of physical memory that its process uses now. */
  memory(): Promise<number>;
}

export interface Registry extends VendorService {
  /** The folder of its reports, and of its packages if they are in no bucket. */
  storage: string;
}

export interface Vendor {
  controlPlane: VendorService;
  registries: readonly [Registry, Registry];
  admin: Caller;
  /** Reports downloads, as a registry does. */
  reporter: Caller;
  /** A caller of the control plane without a credential. */
  visitor: Caller;
  /** URL of the control plane's database. */
  databaseUrl: string;
  secrets: Record<'admin' | 'registry' | 'publish' | 'metrics', string>;
  /** What is published. */
  packages: readonly BuiltPackage[];
  /** Keys and tokens of customers. */
  issued: Set<string>;
}

interface Environment {
  [name: string]: string;
}

async function startService(
  stage: Stage,
  {
    name,
    path,
    url,
    ready,
    environment,
  }: { name: string; path: string; url: string; ready: string; environment: Environment },
): Promise<VendorService> {
  const words = controlPlaneProgram(path);
  const launch = () => startProgram(stage, name, { program: process.execPath, words, environment });
  let program = launch();
  const until = () => untilResponds(stage, program, `${url}${ready}`);
  const end = async (signal: NodeJS.Signals) => {
    program.child.kill(signal);
    await program.ended;
  };
  await until();
  return {
    name,
    url,
    async start() {
      program = launch();
      await until();
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async memory() {
      const status = await readFile(`/proc/${program.child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024;
    },
  };
}

/**
 * Starts everything, with all packages published and released.
 * @param environment further settings of the control plane
 * @param options.storage `s3` for one bucket of both registries, with s3rver and the conditions of writes that it does not have
 */
export async function startVendor(
  stage: Stage,
  environment: Environment = {},
  { storage: kind = 'folder' }: { storage?: 'folder' | 's3' } = {},
): Promise<Vendor> {
  const secret = () => randomBytes(24).toString('hex');
  const secrets = { admin: secret(), registry: secret(), publish: secret(), metrics: secret() };
  const [controlPort, ...ports] = [await freePort(), await freePort(), await freePort()] as const;
  const [url, firstUrl] = [controlPort, ports[0]].map((port) => `http://127.0.0.1:${port}`) as [string, string];
  stage.say('starting a control plane');
  const controlPlane = await startService(stage, {
    name: 'control-plane',
    path: 'main.ts',
    url,
    ready: '/health',
    environment: {
      CONTROL_PLANE_HOME: join(stage.folder, 'control-plane'),
      CONTROL_PLANE_PORT: String(controlPort),
      ADMIN_SECRET: secrets.admin,
      REGISTRY_SECRET: secrets.registry,
      PUBLISH_SECRET: secrets.publish,
      METRICS_SECRET: secrets.metrics,
      SIGNING_KEY_SECRET: secret(),
      REGISTRY_URL: firstUrl,
      DOMAIN_PROOF: 'off',
      TRUST_PROXY: 'loopback',
      LOG_LEVEL: 'info',
      ...environment,
    },
  });
  const bucket = kind === 's3' ? await startS3Service(join(stage.folder, 's3')) : undefined;
  if (bucket) stage.atEnd('s3rver', bucket.kill);
  const startRegistry = async (number: 1 | 2): Promise<Registry> => {
    const storage = join(stage.folder, `registry-${number}`);
    const port = ports[number - 1];
    const service = await startService(stage, {
      name: `registry-${number}`,
      path: 'registry/main.ts',
      url: `http://127.0.0.1:${port}`,
      ready: '/-/ping',
      environment: {
        REGISTRY_PORT: String(port),
        REGISTRY_HOME: storage,
        ...(bucket?.environment ?? { REGISTRY_STORAGE: storage }),
        REGISTRY_PUBLIC_URL: firstUrl,
        CONTROL_PLANE_URL: url,
        REGISTRY_SECRET: secrets.registry,
        PUBLISH_SECRET: secrets.publish,
      },
    });
    return { ...service, storage };
  };
  const first = await startRegistry(1);
  const packages = await publishAll(stage, url, first.url, secrets.publish);
  if (!bucket) {
    const second = join(stage.folder, 'registry-2');
    await cp(join(first.storage, 'packages'), join(second, 'packages'), { recursive: true });
  }
  const registries = [first, await startRegistry(2)] as const;
  const bearer = (value: string) => callerOf(url, { authorization: `Bearer ${value}` });
  return {
    controlPlane,
    registries,
    admin: bearer(secrets.admin),
    reporter: bearer(secrets.registry),
    visitor: callerOf(url),
    databaseUrl: await urlOfEmbedded(join(stage.folder, 'control-plane/postgresql')),
    secrets,
    packages,
    issued: new Set(),
  };
}

async function publishAll(stage: Stage, controlPlaneUrl: string, registryUrl: string, publishSecret: string) {
  stage.say('building and publishing the packages');
  const { version } = await readWorkspace(repository);
  const only = stage.short ? ['runtime', 'core', 'tenant', 'auth'].map(packageName) : undefined;
  const packages = await buildPackages({ out: join(stage.folder, 'packages'), ...(only && { only }) });
  await publishPackages({ registryUrl, publishSecret, packages, log: () => {} });
  await publishRelease(controlPlaneUrl, publishSecret, makeRelease(version, 'stable', packages, await readContents()));
  return packages;
}

/** A licence and an activation token of it. */
export interface Customer {
  customerId: string;
  licenceId: string;
  key: string;
  token: string;
  packages: string[];
}

/** Mints a licence of the highest tier and activates it. */
export async function openCustomer(vendor: Vendor, customerId: string): Promise<Customer> {
  const minted = await vendor.admin.post('/license/keys', { customerId, tier: 'enterprise' });
  if (minted.status !== 201) throw new Error(`no key was minted: ${JSON.stringify(minted.body)}`);
  const { id: licenceId, key } = minted.body;
  return { customerId, licenceId, key, ...(await activate(vendor, key)) };
}

export async function activate({ visitor, issued }: Vendor, key: string) {
  const send = () => visitor.post('/license/activate', { key });
  let answer = await send();
  // The activations of a key are limited.
  for (; answer.status === 429; answer = await send()) await sleep(1000);
  const { status, body } = answer;
  if (status !== 200) throw new Error(`a key was not activated: ${JSON.stringify(body)}`);
  issued.add(key).add(body.token);
  return { token: body.token as string, packages: body.packages as string[] };
}
