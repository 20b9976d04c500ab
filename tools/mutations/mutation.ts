/**
 * A mutation: one deliberate fault in the sources. The tests that hold the rule must fail with it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Mutation {
  /** The rule that the fault breaks, as a short sentence; unique. */
  readonly rule: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly text: string;
  readonly replacement: string;
  /** Test files, each of which must fail by an assertion: the smallest ones that hold the rule. */
  readonly tests: readonly string[];
  /** The file takes part in creating tables, so the template of the test databases is created with the fault. */
  readonly ownTemplate?: true;
}

/** The mutations of each subject, in the order in which they are run. */
export type MutationList = Readonly<Record<string, readonly Mutation[]>>;

/** A mutation with its subject. */
export interface ListedMutation extends Mutation {
  readonly subject: string;
}

/**
 * Selects mutations of a list.
 * @param only names of subjects and parts of rules, ignoring case; empty for all
 */
export function selectMutations(list: MutationList, only: readonly string[]): ListedMutation[] {
  const all = Object.entries(list).flatMap(([subject, mutations]) =>
    mutations.map((mutation) => ({ ...mutation, subject })),
  );
  const isChosen = ({ subject, rule }: ListedMutation) =>
    only.some((each) => (each in list ? subject === each : rule.toLowerCase().includes(each.toLowerCase())));
  return only.length === 0 ? all : all.filter(isChosen);
}

/**
 * Applies a mutation to the source of its file.
 * @throws Error if the text does not occur exactly once
 */
export function mutate(source: string, { rule, file, text, replacement }: Mutation): string {
  const occurrences = source.split(text).length - 1;
  if (occurrences === 1) return source.replace(text, () => replacement);
  throw new Error(
    `${rule}: ${file} ${occurrences === 0 ? 'no longer has the text' : `has the text ${occurrences} times`}`,
  );
}

/** Reasons why a mutation does not fit a checkout; empty if it fits. */
export async function faultsOf(mutation: Mutation, checkout: string): Promise<string[]> {
  const { rule, file, tests } = mutation;
  const faults: string[] = [];
  const read = (path: string) =>
    readFile(join(checkout, path), 'utf8').catch(() => {
      throw new Error(`${rule}: there is no ${path}`);
    });
  const note = (error: Error) => faults.push(error.message);
  await read(file)
    .then((source) => mutate(source, mutation))
    .catch(note);
  for (const test of tests) await read(test).catch(note);
  return faults;
}

/** Separates the mutations that fit a checkout from the reasons why others do not. */
export async function checkMutations<M extends Mutation>(
  mutations: readonly M[],
  checkout: string,
): Promise<{ fitting: M[]; outdated: string[] }> {
  const faults = await Promise.all(mutations.map((mutation) => faultsOf(mutation, checkout)));
  return { fitting: mutations.filter((_, at) => faults[at]?.length === 0), outdated: faults.flat() };
}
