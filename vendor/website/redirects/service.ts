/**
 * Rules of redirects. Each leads to its end at once: no redirect leads to a path that has one. So there are neither
 * chains nor loops. Writes of one tenant's redirects wait for each other.
 */
import { type AddressMove, invalidField, lockFor, notFound, type TenantDatabase } from '@carton/runtime';
import { listOwnHosts } from '@carton/tenant';
import { isHostOf } from '../hosts.ts';
import { redirectLimit, redirectLoop } from '../problems.ts';
import { parsePath } from './paths.ts';
import { type CreateRedirect, maximumRedirects, type RedirectRow } from './schemas.ts';
import { countRedirects, type Destination, redirects, retarget } from './store.ts';

const lockRedirects = (tx: TenantDatabase) => lockFor(tx, 'redirects');

/** @throws invalid_request (400), redirect_exists, redirect_loop, redirect_limit (409) */
export function createRedirect(
  db: TenantDatabase,
  { path: requested, target, permanent = true }: CreateRedirect,
): Promise<RedirectRow> {
  return db.transaction(async (tx) => {
    await lockRedirects(tx);
    const parsed = parsePath(requested);
    if (parsed?.suffix !== '') throw invalidField('/path', 'must be a path, without a query or a fragment');
    if ((await countRedirects(tx)) >= maximumRedirects) {
      throw redirectLimit(`A store has at most ${maximumRedirects} redirects.`);
    }
    return insertRedirect(tx, parsed.path, await destinationOf(tx, target), permanent);
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

/** Inserts a redirect that leads to the end of its chain, and lets those to its path lead there, too. */
async function insertRedirect(
  tx: TenantDatabase,
  path: string,
  requested: Destination,
  permanent: boolean,
): Promise<RedirectRow> {
  const next = await redirects.findBy(tx, { path: requested.targetPath });
  const end = next ? follow(requested, next) : requested;
  if (requested.targetPath === path || end.targetPath === path) throw redirectLoop(`${path} would lead to itself.`);
  const inserted = await redirects.insert(tx, { path, permanent, ...end });
  await retarget(tx, path, end);
  return inserted;
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
  await tx.remove('redirects', { path: [from, to] });
  const end = { target: to, targetPath: to, targetHost: null };
  if ((await countRedirects(tx)) >= maximumRedirects) await retarget(tx, from, end);
  else await insertRedirect(tx, from, end, true);
}

/**
 * Where a path leads. The host of a target is compared with those of the tenant once more: it may have lost one.
 * @throws not_found (404)
 */
export async function resolve(db: TenantDatabase, requested: string): Promise<RedirectRow> {
  const path = parsePath(requested)?.path;
  const redirect = path === undefined ? null : await redirects.findBy(db, { path });
  const isOwn = redirect && (redirect.targetHost === null || isHostOf(await listOwnHosts(db), redirect.targetHost));
  if (!isOwn) throw notFound('There is no redirect from this path.');
  return redirect;
}
