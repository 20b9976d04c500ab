/**
 * Answers are written by their schemas, and nothing is said on the console of formats that only this API knows.
 */
import t from 'tap';
import { Country } from '../../country/country.ts';
import { nullable, object, Type } from '../schemas.ts';
import { serialize } from '../validation.ts';

t.test('a schema with a format of this API is written without a word', (t) => {
  const said = t.capture(console, 'warn');
  const Place = object({
    // A property may bear the name of a keyword.
    format: Type.String(),
    country: Type.Union([Country, Type.Null(), Type.Integer()]),
    other: nullable(object({ country: nullable(Country) })),
  });
  const place = { format: 'country', country: 'AT', other: { country: null } };
  t.strictSame(JSON.parse(serialize(Place, place)), place);
  t.strictSame(said(), []);
  t.end();
});
