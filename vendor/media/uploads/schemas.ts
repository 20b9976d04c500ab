/**
 * Schemas of direct uploads.
 */
import { DateTime, ExternalId, object, oneOf, type Static, Type, Uuid, withOptions } from '@carton/runtime';
import { AltText, FileName } from '../assets/schemas.ts';

export const CreateMediaUpload = object(
  {
    fileName: FileName,
    size: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'In bytes', examples: [182_034] }),
    altText: withOptions(AltText, { default: '' }),
    externalId: Type.Optional(ExternalId),
  },
  { $id: 'CreateMediaUpload' },
);
export type CreateMediaUpload = Static<typeof CreateMediaUpload>;

export const MediaUpload = object(
  {
    id: Uuid,
    method: oneOf(['PUT']),
    url: Type.String({
      description: 'Send the file there, as the body; below the address of this API unless it is absolute. Secret',
      examples: ['/media/uploads/mVqNvAZKPUPbLDzbkPmWFYcD8Vs'],
    }),
    size: Type.Integer({ minimum: 1, description: 'The file must have exactly this many bytes' }),
    expiresAt: DateTime,
  },
  { $id: 'MediaUpload' },
);
export type MediaUpload = Static<typeof MediaUpload>;
