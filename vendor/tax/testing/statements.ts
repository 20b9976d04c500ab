/**
 * Samples of the statements that stores compose of parts, for statements.sql.
 */
import type { Sale } from '@carton/cart';
import type { StatementSamples } from '@carton/runtime/testing';
import { findQuotes } from '../providers/store.ts';
import * as rates from '../rates/store.ts';
import { isExemptMember } from '../sales/members-store.ts';

export const statements: StatementSamples = {
  'providers.findQuotes': ({ db }) => findQuotes(db, 'cart 1'),
  'sales.isExemptMember': ({ db, id }) => isExemptMember(db, { memberId: id } as Sale),
  'rates.taxRates.page': ({ db }) => rates.taxRates.page(db, { limit: 20, country: 'US', postalCode: '100*' }),
  'rates.insertRate': ({ db, id, answer }) => {
    const rate = { id, country: 'US', code: 'sales', postalCode: '100*' };
    answer([rate]);
    answer([rate]);
    return rates.insertRate(db, rate);
  },
  'rates.findRatesAt': ({ db, id }) => rates.findRatesAt(db, { country: 'US', provinces: ['NY'], regionId: id }),
  'rates.findRatesOfCode': ({ db }) => rates.findRatesOfCode(db, 'US', ['10001']),
};
