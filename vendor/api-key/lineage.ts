/**
 * Keys that keys have created. A key ends with the one that created it, and never has more rights or a later expiry: an
 * attacker with a key for a day must not make one for ever of it.
 */
import { permissionsAmong, permissionsOf, permissionsOfResponsible, permits, refuseGrantBeyond } from '@carton/auth';
import { forbidden, invalidField, type StaffCaller, type TenantDatabase } from '@carton/runtime';
import type { StoredKey } from './schemas.ts';
import { type Ancestor, apiKeys, findAncestors } from './store.ts';

type Child = Pick<StoredKey, 'id' | 'parentId'>;

/** The keys above a key, the next one first. Most keys have none, and cost no query. */
export async function ancestorsOf(db: TenantDatabase, { parentId }: Child): Promise<readonly Ancestor[]> {
  return parentId === null ? [] : findAncestors(db, parentId);
}

/**
 * The permissions of a key, limited by those that the keys above it and the person responsible for it have now. The keys of
 * a person who has been removed were limited then.
 */
export async function permissionsWithin(
  db: TenantDatabase,
  { id, scopes, createdById }: Pick<StoredKey, 'id' | 'scopes' | 'createdById'>,
  ancestors: readonly Ancestor[],
  people = responsibleFor(db),
): Promise<readonly string[]> {
  const keys = [{ id, scopes }, ...ancestors].map((key) =>
    permissionsOf(db, { type: 'api_key', id: key.id, permissions: key.scopes }),
  );
  const lists = await Promise.all([...keys, people({ createdById })]);
  return lists.filter((list) => list !== null).reduce(intersectionOf);
}

/** A key with what it may do now. */
export async function withPermissions<Key extends StoredKey>(db: TenantDatabase, key: Key) {
  const [shown] = await eachWithPermissions(db, [key]);
  return shown as NonNullable<typeof shown>;
}

/** Keys with what each may do now: nothing once it, or a key above it, has ended. */
export async function eachWithPermissions<Key extends StoredKey>(
  db: TenantDatabase,
  keys: readonly Key[],
): Promise<(Key & { permissions: string[] })[]> {
  const people = responsibleFor(db);
  return Promise.all(
    keys.map(async (key) => {
      const ancestors = await ancestorsOf(db, key);
      const hasEnded = [key, ...ancestors].some((each) => isRevoked(each) || isExpired(each));
      return { ...key, permissions: hasEnded ? [] : [...(await permissionsWithin(db, key, ancestors, people))] };
    }),
  );
}

type Responsible = (key: Pick<StoredKey, 'createdById'>) => Promise<readonly string[] | null> | null;

/** The permissions of those who are responsible for keys, each read once; null for nobody, and after a removal. */
function responsibleFor(db: TenantDatabase): Responsible {
  const people = new Map<string, ReturnType<typeof permissionsOfResponsible>>();
  return ({ createdById }) => {
    if (createdById === null) return null;
    const person = people.get(createdById) ?? permissionsOfResponsible(db, createdById);
    people.set(createdById, person);
    return person;
  };
}

export const isRevoked = ({ revokedAt }: Pick<Ancestor, 'revokedAt'>) => revokedAt !== null;
export const isExpired = ({ expiresAt }: Pick<Ancestor, 'expiresAt'>) =>
  expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/** The scopes that stay within permissions. Scopes have no wildcards but `*`: others are replaced by what they include. */
export function scopesWithin(
  scopes: readonly string[],
  permissions: readonly string[],
  known: readonly string[],
): readonly string[] {
  const common = intersectionOf(scopes, permissions);
  return common.includes('*') ? ['*'] : permissionsAmong(common, known);
}

/** What both lists include, where either may have wildcards. */
function intersectionOf(one: readonly string[], other: readonly string[]): readonly string[] {
  const common = [
    ...one.filter((permission) => permits(other, permission)),
    ...other.filter((permission) => permits(one, permission)),
  ];
  return [...new Set(common)];
}

/** The expiry of a key that a key creates: by default that of its creator. @throws invalid_request (400) for a later one */
export function expiryWithin(
  expiresAt: string | undefined,
  parent: Pick<StoredKey, 'expiresAt'> | null,
): string | null {
  const limit = parent?.expiresAt ?? null;
  if (expiresAt === undefined || limit === null) return expiresAt ?? limit;
  if (Date.parse(expiresAt) > Date.parse(limit))
    throw invalidField('/expiresAt', 'is later than that of the key that creates it');
  return expiresAt;
}

/**
 * @throws invalid_request (400) if the scopes of a key exceed those of a key above it, or if it gets one that the person
 * responsible for it does not have: such a scope would have no effect
 */
export async function requireScopesWithin(
  db: TenantDatabase,
  scopes: readonly string[],
  key: Pick<StoredKey, 'scopes' | 'createdById'>,
  ancestors: readonly Ancestor[],
): Promise<void> {
  const beyond = scopes.findIndex((scope) => !ancestors.every((above) => permits(above.scopes, scope)));
  if (beyond >= 0) throw invalidField(`/scopes/${beyond}`, 'is not a scope of the key that created it');
  const person = await responsibleFor(db)(key);
  const vain = scopes.findIndex((scope) => person !== null && !permits(key.scopes, scope) && !permits(person, scope));
  if (vain >= 0) throw invalidField(`/scopes/${vain}`, 'is not a permission of the person responsible for the key');
}

/**
 * Refuses that a caller ends a stronger key, such as that of the owner's systems. The person responsible for a key may end
 * it, and so may the key itself and those above it.
 * @throws forbidden (403) naming the permissions that the caller lacks
 */
export function requireRevocable(staff: StaffCaller, key: StoredKey, ancestors: readonly Ancestor[]): void {
  const above = [key.id, key.createdById, ...ancestors.map(({ id }) => id)];
  if (!above.includes(staff.id)) refuseGrantBeyond(staff, key.scopes);
}

/**
 * Refuses that a key strengthens or takes over a key which does not end with it: the other one would keep the rights after
 * the caller's end. A key may change itself.
 * @throws forbidden (403)
 */
export function requireBelow(staff: StaffCaller, key: Child, ancestors: readonly Ancestor[], verb: string): void {
  if (staff.type !== 'api_key' || staff.id === key.id || ancestors.some(({ id }) => id === staff.id)) return;
  throw forbidden(`A key can only ${verb} itself and keys that it has created.`);
}

/**
 * Calls `revoke` for the keys below a key that are not revoked. The key must be locked: so is each one before those that
 * it has created are read, since a key is created with a lock on its creator.
 */
export async function eachBelow(
  tx: TenantDatabase,
  id: string,
  revoke: (id: string) => Promise<unknown>,
): Promise<void> {
  for (const child of await apiKeys.lockAllBy(tx, { parentId: id })) {
    if (child.revokedAt === null) await revoke(child.id);
    await eachBelow(tx, child.id, revoke);
  }
}
