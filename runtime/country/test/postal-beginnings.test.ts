/**
 * Every beginning of every postal code is known as one, and no other text.
 */
import fc from 'fast-check';
import { POSTCODE_REGEXES } from 'postcode-validator/lib/cjs/postcode-regexes.js';
import t from 'tap';
import { rulesOfAddresses } from '../address-rules.ts';
import { isPostalBeginning } from '../postal-beginnings.ts';
import { isPostalCode, postalForms } from '../postal-codes.ts';

const listed = new Map([...POSTCODE_REGEXES].map(([country, expression]) => [String(country), expression.source]));
const countries = [...new Set([...Object.keys(rulesOfAddresses), ...listed.keys()])].filter((each) => each !== 'INTL');

t.test('beginnings of codes of every country', async (t) => {
  let count = 0;
  for (const country of countries) {
    for (const source of [rulesOfAddresses[country]?.postalCode, listed.get(country)]) {
      if (source === undefined) continue;
      count++;
      // What is made without looking ahead is a code, or is left out.
      const expression = new RegExp(`^(?:${source.replaceAll(/\(\?!.*?\)/g, '')})$`);
      const codes = fc.stringMatching(expression).filter((code) => isPostalCode(country, code));
      fc.assert(
        fc.property(codes, (code) => {
          const [form = ''] = postalForms(country, code);
          return Array.from(form, (_, at) => form.slice(0, at + 1)).every((each) => isPostalBeginning(country, each));
        }),
        { numRuns: 50 },
      );
    }
  }
  t.ok(count > 300, `${count} expressions`);
});

t.test('other texts are no beginnings', async (t) => {
  const cases: [country: string, beginnings: string[], others: string[]][] = [
    ['IR', ['1', '11', '9', '1136975111'], ['11369751110', 'A']],
    ['LI', ['9', '94', '948', '9485'], ['1', '93', '9484', '94851']],
    ['VA', ['0', '00', '001', '00120'], ['1', '002', '001201']],
    ['PR', ['0', '006', '00601', '006011234'], ['1', '001']],
    ['AT', ['1', '9', '6691'], ['66911']],
    ['AD', ['5', '500', 'AD5'], ['AX', 'B']],
    ['NL', ['1', '1011', '1011AB'], ['10111', 'A']],
    ['ZW', ['1', 'ABC'], []],
  ];
  for (const [country, beginnings, others] of cases) {
    for (const each of beginnings) t.ok(isPostalBeginning(country, each), `${country} ${each}`);
    for (const each of others) t.notOk(isPostalBeginning(country, each), `${country} ${each}`);
  }
});
