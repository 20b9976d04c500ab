/**
 * What a person may ask of a shop: to be told what it keeps of them, and to be forgotten (GDPR, Articles 15 and 17).
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { HasExtensions } from '../extension/extension.ts';
import { defineProblem } from '../http/problems.ts';
import { type Person, type PersonalData, personalData, type Subject, type Traces } from './personal-data.ts';

export const erasureHindered = defineProblem({
  code: 'erasure_hindered',
  status: 409,
  title: 'Something is under way that needs to know who it is for',
});

/** One section of what a shop keeps of a person. */
export interface ExportSection {
  /** The sentences that say what it is kept for, and how long. */
  readonly reasons: readonly { readonly reason: string; readonly kept: string }[];
  readonly data: unknown;
}

/**
 * Everything that is kept of a person, by section; sections of which nothing is kept are left out.
 * All of it is read in one transaction, so that it is of one moment.
 */
export function exportPerson(db: TenantDatabase, person: Person): Promise<Record<string, ExportSection>> {
  return db.transaction(
    async (tx) => {
      const subject = await findSubject(tx, person);
      const told: Record<string, ExportSection> = {};
      for (const { name, keeps, exportData } of personalDataOf(tx)) {
        const data = await exportData(tx, subject);
        if (data === null) continue;
        told[name] = { reasons: keeps.map(({ reason, kept }) => ({ reason, kept })), data };
      }
      return told;
    },
    { isolation: 'serializable' },
  );
}

/**
 * Erases a person from every package, in one transaction: all of it or nothing. Call it after whatever else the caller
 * erases, in the caller's transaction if there is one. Doing it again changes nothing.
 * @throws erasure_hindered (409) with the reasons, while something is under way; nothing is erased then
 */
export function erasePerson(db: TenantDatabase, person: Person): Promise<void> {
  return db.transaction(async (tx) => {
    const subject = await findSubject(tx, person);
    const keepers = personalDataOf(tx);
    const reasons: string[] = [];
    for (const { erasureObstacles } of keepers) reasons.push(...((await erasureObstacles?.(tx, subject)) ?? []));
    if (reasons.length > 0) throw erasureHindered(reasons.join(' '));
    // Copies after what they are copies of: whoever erases later finds what was written by erasing, too.
    for (const { erase } of keepers) await erase(tx, subject);
  });
}

/** Whoever keeps personal data in a box. @throws Error when two sections have one name */
export function personalDataOf(box: HasExtensions): readonly PersonalData[] {
  const keepers = personalData.of(box);
  const names = keepers.map(({ name }) => name);
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice !== undefined) throw new Error(`two packages keep personal data under the name ${twice}`);
  return keepers;
}

/** A person with everything of theirs, as the keepers find it one after another. */
async function findSubject(db: TenantDatabase, { memberId, emails }: Person): Promise<Subject> {
  let subject: Subject = { memberId, emails, sessions: [], records: {} };
  for (const { find } of personalDataOf(db)) {
    const traces = await find?.(db, subject);
    if (traces) subject = withTraces(subject, traces);
  }
  return subject;
}

function withTraces(subject: Subject, { sessions = [], records = {} }: Traces): Subject {
  const joined = Object.entries(records).map(([resource, ids]) => [
    resource,
    [...new Set([...(subject.records[resource] ?? []), ...ids])],
  ]);
  return {
    ...subject,
    sessions: [...new Set([...subject.sessions, ...sessions])],
    records: { ...subject.records, ...Object.fromEntries(joined) },
  };
}
