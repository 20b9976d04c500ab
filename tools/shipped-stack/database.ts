/**
 * The database of the installed box, to read rows as the owner of its tables.
 */

import { connectionOptions } from '../../installer/backup/home.ts';
import { boxFolder as pathsOfBox } from '../../installer/box/folder.ts';
import { connectionUrl } from '../../runtime/db/embedded.ts';
import { boxFolder, type StackSettings } from './settings.ts';

/** @throws Error if the box does not run */
export async function databaseUrlOf(settings: Pick<StackSettings, 'folder'>): Promise<string> {
  const {
    connectionString,
    database = '',
    password,
    host = '',
  } = await connectionOptions(pathsOfBox(boxFolder(settings)));
  return connectionString ?? connectionUrl(database, String(password), host);
}
