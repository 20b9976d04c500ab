/**
 * All that the control plane holds of a customer, as one JSON document that is written while it is read.
 */
import { notFound } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { journalOf } from '../administrators/customer.ts';
import { exportBoxes } from '../boxes/customer.ts';
import { exportEvents } from '../events/customer.ts';
import { exportLicenses } from '../license/customer.ts';
import { exportDownloads } from '../telemetry/customer.ts';

type Sections = Record<string, AsyncIterable<object>>;

function sectionsOf(db: Knex, customerId: string): Sections {
  return {
    ...exportLicenses(db, customerId),
    boxes: exportBoxes(db, customerId),
    ...exportDownloads(db, customerId),
    events: exportEvents(db, customerId),
    journal: journalOf(db, customerId),
  };
}

/**
 * Writes the document: a section for each kind of record, each with all its records.
 * @throws not_found (404) if nothing is held of the customer
 */
export async function* exportCustomer(db: Knex, customerId: string): AsyncGenerator<string> {
  const sections = Object.entries(sectionsOf(db, customerId)).map(([name, rows]) => ({
    name,
    rows: rows[Symbol.asyncIterator](),
  }));
  // The journal names also customers that were erased.
  const first = await Promise.all(sections.map(async ({ name, rows }) => name !== 'journal' && rows.next()));
  if (first.every((result) => result === false || result.done)) throw notHeld(customerId);
  yield `${JSON.stringify({ customerId, exportedAt: new Date().toISOString() }).slice(0, -1)}`;
  for (const [at, { name, rows }] of sections.entries()) {
    let result = first[at] || (await rows.next());
    let separator = '\n';
    yield `,\n${JSON.stringify(name)}:[`;
    while (!result.done) {
      yield `${separator}${JSON.stringify(result.value)}`;
      separator = ',\n';
      result = await rows.next();
    }
    yield ']';
  }
  yield '}\n';
}

/** The problem for a customer of whom nothing is stored. */
export function notHeld(customerId: string) {
  return notFound(`Nothing is stored of a customer ${customerId}.`);
}
