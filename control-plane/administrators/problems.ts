/**
 * Problems of administrators.
 */
import { defineProblem } from '@carton/runtime/service';

export const administratorNameTaken = defineProblem({
  code: 'administrator_name_taken',
  status: 409,
  title: 'The name belongs to another administrator',
});
