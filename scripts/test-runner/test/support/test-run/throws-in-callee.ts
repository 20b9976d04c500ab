import t from 'tap';
import { wholeNumber } from '../read-number.ts';

t.test('a function of the project throws', async () => {
  wholeNumber('none');
});
