/**
 * Who was refused what: denied downloads by customer and package, with the tier that includes the package.
 */
import { type Page, type Tier, tiers } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { entitledPackages } from '../releases/entitlements.ts';
import { type Releases, stable } from '../releases/service.ts';
import { termsOf } from './channels.ts';
import type { Refusal } from './schemas.ts';
import { cursorOf, positionOf, selectTotals, type TotalKey, type TotalQuery } from './totals.ts';

type Group = TotalKey & { count: number; firstAt: string; lastAt: string };

/** Reads a page of refusals, by customer and package. */
export async function listRefusals(
  { db, releases }: { db: Knex; releases: Releases },
  { limit, cursor, ...filter }: TotalQuery,
): Promise<Page<Refusal>> {
  const rows: Group[] = await selectTotals(db, 'denied', filter, positionOf(cursor))
    .select(db.raw('sum(count)::bigint as count, min(first_at) as first_at, max(last_at) as last_at'))
    .limit(limit + 1);
  const groups = rows.slice(0, limit);
  const customers = groups.map(({ customerId }) => customerId);
  const [terms, includedIn] = await Promise.all([termsOf(db, customers), tierOfPackages(releases)]);
  const items = groups.map((group) => ({
    ...group,
    includedIn: includedIn.get(group.packageName) ?? null,
    tiers: terms(group.customerId).tiers,
  }));
  const last = groups.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursorOf(last) : null };
}

/** The lowest tier that includes each package of the current stable release. */
async function tierOfPackages(releases: Releases): Promise<Map<string, Tier>> {
  const release = await releases.current(stable);
  const found = new Map<string, Tier>();
  for (const tier of [...tiers].reverse()) {
    for (const name of entitledPackages(release?.packages ?? [], tier)) found.set(name, tier);
  }
  return found;
}
