/**
 * `domains`: the domains of a registered box, and following their proofs until they are right.
 */
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { boxFolder } from '../../box/folder.ts';
import { withLock } from '../../box/lock.ts';
import { requireSettings } from '../../box/settings.ts';
import type { Warner } from '../../control-plane-requests.ts';
import { Failure, interrupted } from '../../failure.ts';
import { type DomainStatus, type RegistrationAccess, registerBox, verifyDomains } from '../../registration.ts';
import { vendor } from '../../vendor.ts';
import { accessOf, requireBox } from '../deploy/deploy.ts';

interface Options {
  /** The box's folder. */
  dir: string;
  signal?: AbortSignal;
  warner?: Warner;
}

/**
 * Returns the domains of the box.
 * @param options.check whether to have them checked now
 * @throws Failure usage if the box is not registered; not_installed, wrong_key, key_not_active, control_plane_unavailable
 */
export async function listDomains(options: Options & { check?: boolean | undefined }): Promise<DomainStatus[]> {
  const { access, name } = await registered(options);
  const box = options.check ? await verifyDomains(access, name) : await requireBox(access, name);
  return box.domains;
}

/**
 * Adds and removes domains. Those of others stay as the control plane has them.
 * @throws Failure usage for an invalid domain, one that is taken, or the removal of one that the box does not have
 */
export async function changeDomains(
  options: Options,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Promise<DomainStatus[]> {
  return withLock(boxFolder(options.dir).root, 'domains', async () => {
    const { access, name } = await registered(options);
    const box = await requireBox(access, name);
    const present = new Set(box.domains.map(({ domain }) => domain));
    const missing = remove.map(toDomain).find((domain) => !present.has(domain));
    if (missing) throw new Failure('usage', `the box has no domain ${missing}`, `Run ${vendor} domains list`);
    for (const domain of remove) present.delete(toDomain(domain));
    for (const domain of add) present.add(toDomain(domain));
    await registerBox(access, {
      name,
      backendUrl: box.backendUrl,
      frontendUrl: box.frontendUrl ?? undefined,
      domains: [...present],
    });
    return (await requireBox(access, name)).domains;
  });
}

/**
 * Has the domains checked until all are proved, or the signal aborts.
 * @param options.seconds time between two checks
 * @param report receives the domains after each check
 * @throws Failure like `listDomains`, and interrupted
 */
export async function watchDomains(
  options: Options & { signal: AbortSignal; seconds: number },
  report: (domains: DomainStatus[]) => void,
): Promise<DomainStatus[]> {
  const { signal, seconds } = options;
  for (;;) {
    const domains = await listDomains({ ...options, check: true }).catch(continueIfAway);
    if (domains) report(domains);
    if (domains?.every(isProved)) return domains;
    await pause(seconds * 1000, undefined, { signal }).catch(() => {
      throw interrupted('The control plane goes on checking the domains by itself');
    });
  }
}

/** Proofs take hours, and a control plane that restarts must not end the wait. */
function continueIfAway(error: unknown): undefined {
  if (error instanceof Failure && error.code === 'control_plane_unavailable') return undefined;
  throw error;
}

export function isProved({ state }: Pick<DomainStatus, 'state'>): boolean {
  return state === 'proved';
}

/** What the owner of a domain has to do, a line each; none if it is proved. */
export function stepsOf({ state, record, expectedNameservers, errors, zone }: DomainStatus): string[] {
  if (state === 'proved') return [];
  const nameservers = expectedNameservers.length > 0 && zone?.state !== 'refused';
  return [
    ...(record ? [`set  ${record.name}  ${record.type}  ${record.value}`] : []),
    ...(nameservers ? [`${record ? 'or   ' : ''}delegate it to ${expectedNameservers.join(' and ')}`] : []),
    ...errors.map(({ detail, fix }) => `${detail.replace(/[.\s]+$/, '')}. ${fix}`),
  ];
}

async function registered({ dir, signal, warner }: Options): Promise<{ access: RegistrationAccess; name: string }> {
  const folder = boxFolder(dir);
  const settings = await requireSettings(folder);
  const { deployment } = settings;
  if (deployment) return { access: await accessOf(folder, settings, signal, warner), name: deployment.name };
  throw new Failure('usage', 'the box is not registered yet', `Run ${vendor} deploy first`);
}

/** Returns a domain as the control plane writes it. @throws Failure usage for what is no domain */
function toDomain(text: string): string {
  const [, wildcard = '', name = ''] = /^(\*\.)?(.+?)\.?$/.exec(text.trim()) ?? [];
  const domain = domainToASCII(name);
  if (domain !== '' && !isIP(domain) && /^[^/:@\s]+$/.test(name)) return wildcard + domain;
  throw new Failure('usage', `${text} is not a domain`, 'Use a name such as shop.example.com or *.shops.example.com');
}

export type { DomainStatus };
