/**
 * Rules of redirects. Each leads to its end at once: no redirect leads to a path that has one. So there are neither
 * chains nor loops. Writes of one tenant's redirects wait for each other.
 */
import { type AddressMove, invalidField, lockFor, notFound, type TenantDatabase } from '@carton/runtime';
import { listOwnHosts } from '@carton/tenant';
import { isHostOf } from '../hosts.ts';
import { redirectLimit, redirectLoop } from '../problems.ts';
import { type Address, maximumPath, parsePath } from './paths.ts';
import { type CreateRedirect, maximumRedirects, type RedirectRow } from './schemas.ts';
import {
  addressOf,
  addressOfPath,
  countRedirects,
  type Destination,
  findRedirect,
  redirects,
  removeRedirects,
  retarget,
} from './store.ts';

const lockRedirects = (tx: TenantDatabase) => lockFor(tx, 'redirects');

/** A path that was requested of the store itself: `//old` is no address of another host, as it would be in a link. */
const withSingleSlash = (path: string) => path.replace(/^\/{2,}/, '/');

/** @throws invalid_request (400), redirect_exists, redirect_loop, redirect_limit (409) */
export function createRedirect(
  db: TenantDatabase,
  { path: requested, target, permanent = true }: CreateRedirect,
): Promise<RedirectRow> {
  return db.transaction(async (tx) => {
    await lockRedirects(tx);
    const parsed = parsePath(withSingleSlash(requested));
    if (parsed?.fragment !== '') throw invalidField('/path', 'must be a path, without a fragment');
    if (parsed.address.length > maximumPath) throw invalidField('/path', `must have at most ${maximumPath} characters`);
    if ((await countRedirects(tx)) >= maximumRedirects) {
      throw redirectLimit(`A store has at most ${maximumRedirects} redirects.`);
    }
    return insertRedirect(tx, parsed, await destinationOf(tx, target), permanent);
  });
}

/** @throws invalid_request (400) for a target that is neither a path nor at a host of the tenant */
async function destinationOf(tx: TenantDatabase, target: string): Promise<Destination> {
  const own = parsePath(target);
  if (own) return { target: own.path + own.suffix, targetPath: own.path, targetHost: null };
  const refused = invalidField('/target', 'must be a path, or an https address at a host of this store');
  const url = /^https:\/\/[^/\\]/i.test(target) ? URL.parse(target) : null;
  if (url?.username !== '' || url.password !== '' || url.port !== '') throw refused;
  const { path, suffix } = parsePath(url.pathname.replace(/^\/+/, '/') + url.search + url.hash) ?? {};
  if (path === undefined || !isHostOf(await listOwnHosts(tx), url.hostname)) throw refused;
  return { target: `https://${url.hostname}${path}${suffix}`, targetPath: path, targetHost: url.hostname };
}

/** Inserts a redirect that leads to the end of its chain, and lets those to its address lead there, too. */
async function insertRedirect(
  tx: TenantDatabase,
  from: Address,
  requested: Destination,
  permanent: boolean,
): Promise<RedirectRow> {
  const next = await findRedirect(tx, addressOf(requested));
  const end = next ? follow(requested, next) : requested;
  const isLoop = leadsBack(from, addressOf(end)) || addressOf(requested).address === from.address;
  if (isLoop) throw redirectLoop(`${from.address} would lead to itself.`);
  const inserted = await redirects.insert(tx, { path: from.address, permanent, ...end });
  await retarget(tx, from, end);
  return inserted;
}

/** Whether an address that has no redirect of its own finds the one at `from`. */
function leadsBack(from: Address, { found }: Address): boolean {
  return found.includes(from.address);
}

/** The end of a redirect to a path that has a redirect: at the host of the first, unless the second has one. */
function follow({ targetHost }: Destination, next: Destination): Destination {
  if (next.targetHost !== null || targetHost === null) return pick(next);
  return { ...pick(next), targetHost, target: `https://${targetHost}${next.target}` };
}

const pick = ({ target, targetPath, targetHost }: Destination): Destination => ({ target, targetPath, targetHost });

/**
 * Leaves a redirect from the former address of a page to its present one, which has none from then on. A store with the
 * maximum number of redirects gets no more: the move must not fail.
 */
export async function leaveRedirect(tx: TenantDatabase, move: AddressMove): Promise<void> {
  const [from, to] = [parsePath(move.from)?.path, parsePath(move.to)?.path];
  if (from === undefined || to === undefined || from === to) return;
  await lockRedirects(tx);
  await removeRedirects(tx, [from, to]);
  const end = { target: to, targetPath: to, targetHost: null };
  const left = addressOfPath(from);
  if ((await countRedirects(tx)) >= maximumRedirects) await retarget(tx, left, end);
  else await insertRedirect(tx, left, end, true);
}

/**
 * Where a path leads. The host of a target is compared with those of the tenant once more: it may have lost one.
 * @throws not_found (404)
 */
export async function resolve(db: TenantDatabase, requested: string): Promise<RedirectRow> {
  const parsed = parsePath(withSingleSlash(requested));
  const redirect = parsed && (await findRedirect(db, parsed));
  const isOwn = redirect && (redirect.targetHost === null || isHostOf(await listOwnHosts(db), redirect.targetHost));
  if (!isOwn) throw notFound('There is no redirect from this path.');
  return redirect;
}
