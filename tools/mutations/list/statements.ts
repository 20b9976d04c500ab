/**
 * Mutations of what is sent to the database: statements of one round trip, and what writes reference data.
 */
import type { Mutation } from '../mutation.ts';

export const statements: readonly Mutation[] = [
  {
    rule: 'A write is not sent with reads, one of which could undo it after its rows were returned',
    file: 'runtime/db/tenant-reader.ts',
    text: 'if (hasWritingVerb(text)) return false;',
    replacement: '',
    tests: ['runtime/db/test/shared-sync.test.ts'],
  },
  {
    rule: 'A read that was skipped behind a failure is sent again',
    file: 'runtime/db/prepared-query.ts',
    text: 'isOutdatedStatement(error) || isSkippedStatement(error)',
    replacement: 'isOutdatedStatement(error)',
    tests: ['runtime/db/test/shared-sync.test.ts'],
  },
  {
    rule: 'What merges into reference data replaces its version',
    file: 'runtime/db/reference-data.ts',
    text: '(?:insert|update|delete|merge|truncate|copy)',
    replacement: '(?:insert|update|delete)',
    tests: ['scripts/test/reference-data.test.ts'],
  },
  {
    rule: 'A statement may name a reference table in capitals',
    file: 'runtime/db/reference-data.ts',
    text: 'map(([name]) => name.toLowerCase())',
    replacement: 'map(([name]) => name)',
    tests: ['scripts/test/reference-data.test.ts'],
  },
  {
    rule: 'A test box refuses what writes reference data without a new version',
    file: 'runtime/testing/reference-writes.ts',
    text: 'and xmin = pg_current_xact_id()::xid',
    replacement: '',
    tests: ['scripts/test/reference-data.test.ts'],
  },
  {
    rule: 'A connection with reads that are sent again is not passed on before',
    file: 'runtime/db/tenant-database.ts',
    text: '          await untilAnswered(connection);',
    replacement: '',
    tests: ['runtime/db/test/shared-sync.test.ts'],
  },
  {
    rule: 'A commit to which PostgreSQL answers ROLLBACK is an error',
    file: 'runtime/db/transaction-commands.ts',
    text: "command !== 'COMMIT'",
    replacement: "command === ''",
    tests: ['runtime/db/test/transaction-then.test.ts'],
  },
  {
    rule: 'A statement whose columns have changed is prepared under another name',
    file: 'runtime/db/prepared-query.ts',
    text: 'protocol.renamed.set(this.#ownName, `${this.name}_`);',
    replacement: '',
    tests: ['runtime/db/test/prepared-query.test.ts'],
  },
  {
    rule: 'A statement with a value that cannot be sent is prepared at the next execution',
    file: 'runtime/db/prepared-query.ts',
    text: 'delete protocol.parsedStatements[this.name];',
    replacement: '',
    tests: ['runtime/db/test/prepared-query.test.ts'],
  },
  {
    rule: 'What fails before it is sent is not committed',
    file: 'runtime/db/tenant-database.ts',
    text: 'await Promise.race([sent, undefined]);',
    replacement: '',
    tests: ['runtime/db/test/transaction-then.test.ts'],
  },
  {
    rule: 'The error of concurrent work is the cause and not its consequence',
    file: 'runtime/db/run-concurrently.ts',
    text: 'failures.find((failure) => !isSkippedStatement(failure)) ?? failures[0]',
    replacement: 'failures.find((failure) => isSkippedStatement(failure)) ?? failures[0]',
    tests: ['runtime/db/test/run-concurrently.test.ts'],
  },
  {
    rule: 'Nothing is added to a transaction whose commit is sent',
    file: 'runtime/db/tenant-reader.ts',
    text: 'if (this.unit.isEnding) return Promise.reject(ending());',
    replacement: '',
    tests: ['runtime/db/test/transaction-then.test.ts'],
  },
  {
    rule: 'What has changed goods replaces their version',
    file: 'runtime/db/tenant-database.ts',
    text: 'if (committed.unit.writesGoods) await this.query(replaceGoodsVersion, [randomUUID()]);',
    replacement: '',
    tests: ['scripts/test/goods.test.ts'],
  },
  {
    rule: 'A transaction reads the goods that it has written',
    file: 'runtime/db/tenant-reader.ts',
    text: 'if (version === null || writesGoods) return read(ids);',
    replacement: 'if (version === null) return read(ids);',
    tests: ['scripts/test/goods.test.ts'],
  },
  {
    rule: 'Goods are kept at one version',
    file: 'runtime/db/goods.ts',
    text: 'if (kept?.version !== version) missing.push(id);',
    replacement: 'if (!kept) missing.push(id);',
    tests: ['scripts/test/goods.test.ts'],
  },
  {
    rule: 'A product with a schedule is not kept',
    file: 'runtime/db/goods.ts',
    text: 'if (rows.lasts?.(row) !== false) ',
    replacement: '',
    tests: ['scripts/test/goods.test.ts'],
  },
];
