/**
 * Schemas of the files of variants.
 */
import { FileName } from '@carton/media';
import { changeOf, object, type Static, Type, timestamps, Uuid, withOptions } from '@carton/runtime';

export const Name = withOptions(FileName, {
  description: 'Under which the buyer saves the file',
  examples: ['handbook.epub'],
});
const Position = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Files of a variant are in the order of their positions',
  examples: [0],
});
export const Size = Type.Integer({ minimum: 1, description: 'In bytes', examples: [1_820_340] });

export const Download = object(
  {
    id: Uuid,
    variantId: Uuid,
    fileName: Name,
    position: Position,
    size: Size,
    sha256: Type.String({ description: 'Of the file, in hexadecimal' }),
    ...timestamps,
  },
  { $id: 'Download' },
);
export type Download = Static<typeof Download>;

export const DownloadList = object({ items: Type.Array(Download) }, { $id: 'DownloadList' });

export const ChangeDownload = changeOf({ fileName: Name, position: Position }, { $id: 'ChangeDownload' });
export type ChangeDownload = Static<typeof ChangeDownload>;
