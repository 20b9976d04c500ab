/**
 * The rights of access and erasure: the export and the deletion of a person's data (GDPR, Articles 15 and 17).
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { HasExtensions } from '../extension/extension.ts';
import { defineProblem } from '../http/problems.ts';
import { type Person, type PersonalData, personalData, type Subject, type Traces } from './personal-data.ts';

export const erasureHindered = defineProblem({
  code: 'erasure_hindered',
  status: 409,
  title: "The person's data is still needed",
});

/** One section of the export of a person's data. */
export interface ExportSection {
  /** The purposes of the data and how long it is stored, in sentences. */
  readonly reasons: readonly { readonly reason: string; readonly kept: string }[];
  readonly data: unknown;
}

/**
 * Exports all data of a person, by section; sections without data are omitted. It is read in one transaction, so that
 * the sections are consistent.
 */
export function exportPerson(db: TenantDatabase, person: Person): Promise<Record<string, ExportSection>> {
  return db.transaction(
    async (tx) => {
      const subject = await findSubject(tx, person);
      const sections: Record<string, ExportSection> = {};
      for (const { name, keeps, exportData } of personalDataOf(tx)) {
        const data = await exportData(tx, subject);
        if (data === null) continue;
        sections[name] = { reasons: keeps.map(({ reason, kept }) => ({ reason, kept })), data };
      }
      return sections;
    },
    { isolation: 'serializable' },
  );
}

/**
 * Erases a person's data in every package, in one transaction. Call it after the caller's own deletions, in the
 * caller's transaction if there is one. Idempotent.
 * @throws erasure_hindered (409) with the reasons, while data is still needed; nothing is erased then
 */
export function erasePerson(db: TenantDatabase, person: Person): Promise<void> {
  return db.transaction(async (tx) => {
    const subject = await findSubject(tx, person);
    const parts = personalDataOf(tx);
    const reasons: string[] = [];
    for (const { erasureObstacles } of parts) reasons.push(...((await erasureObstacles?.(tx, subject)) ?? []));
    if (reasons.length > 0) throw erasureHindered(reasons.join(' '));
    // In order of dependencies: a package that stores copies comes later, and erases copies written by the erasure too.
    for (const { erase } of parts) await erase(tx, subject);
  });
}

/** The personal data that the packages of a box declare. @throws Error when two sections have the same name */
export function personalDataOf(box: HasExtensions): readonly PersonalData[] {
  const parts = personalData.of(box);
  const names = parts.map(({ name }) => name);
  const duplicate = names.find((name, position) => names.indexOf(name) !== position);
  if (duplicate !== undefined) throw new Error(`two packages declare personal data under the name ${duplicate}`);
  return parts;
}

/** Collects the identifiers of a person from all packages. */
async function findSubject(db: TenantDatabase, { memberId, emails }: Person): Promise<Subject> {
  let subject: Subject = { memberId, emails, sessions: [], records: {} };
  for (const { find } of personalDataOf(db)) {
    const traces = await find?.(db, subject);
    if (traces) subject = withTraces(subject, traces);
  }
  return subject;
}

function withTraces(subject: Subject, { sessions = [], records = {} }: Traces): Subject {
  const merged = Object.entries(records).map(([resource, ids]) => [
    resource,
    [...new Set([...(subject.records[resource] ?? []), ...ids])],
  ]);
  return {
    ...subject,
    sessions: [...new Set([...subject.sessions, ...sessions])],
    records: { ...subject.records, ...Object.fromEntries(merged) },
  };
}
