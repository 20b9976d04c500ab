/**
 * Schemas of media.
 */
import {
  ExternalId,
  humanText,
  integrationQuery,
  nullable,
  object,
  oneOf,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { kinds, mediaTypes } from '../types.ts';

export const Kind = oneOf(kinds, { examples: ['picture'] });
export const MediaType = oneOf(mediaTypes, {
  description: 'Detected from the content of the file',
  examples: ['image/jpeg'],
});

export const FileName = humanText(255, {
  pattern: '^[^\\u0000-\\u001f\\u007f/\\\\]+$',
  description: 'For people: the addresses of the file do not depend on it',
  examples: ['blue-shirt.jpg'],
});
export const AltText = Type.String({
  maxLength: 1000,
  description: 'What the picture shows, for those who do not see it; empty for decoration',
  examples: ['A blue shirt on a hanger'],
});
const fraction = (description: string) => Type.Number({ minimum: 0, maximum: 1, description, examples: [0.5] });
const FocalPoint = nullable(
  object(
    { x: fraction('From the left (0) to the right (1)'), y: fraction('From the top (0) to the bottom (1)') },
    { description: 'The point that stays visible where a storefront crops the picture' },
  ),
);
const Pixels = Type.Integer({ minimum: 1, examples: [1280] });
const Url = Type.String({
  description: 'Below the address of this API. The content behind it never changes',
  examples: ['/media/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001/original.jpg'],
});

export const MediaVariant = object(
  { width: Pixels, height: Pixels, mediaType: MediaType, url: Url },
  { $id: 'MediaVariant' },
);

export const shapes = shapesOf({
  name: 'MediaAsset',
  fields: {
    fileName: FileName,
    altText: withOptions(AltText, { default: '' }),
    focalPoint: withOptions(FocalPoint, { default: null }),
  },
  readOnly: {
    kind: Kind,
    mediaType: MediaType,
    size: Type.Integer({ minimum: 1, description: 'In bytes', examples: [182_034] }),
    sha256: Type.String({ description: 'Of the stored file, in hexadecimal' }),
    width: withOptions(nullable(Pixels), { description: 'Null unless it is a picture' }),
    height: withOptions(nullable(Pixels), { description: 'Null unless it is a picture' }),
    url: Url,
    variants: Type.Array(MediaVariant, {
      description: 'Smaller versions of a picture, from narrow to wide; each is made when it is first requested',
    }),
  },
});

const { id, kind, mediaType, altText, focalPoint, width, height, url, variants } = shapes.Item.properties;
/** An asset as shoppers see it where another package refers to it. */
export const Media = object(
  { id, kind, mediaType, altText, focalPoint, width, height, url, variants },
  { $id: 'Media' },
);
export type Media = Static<typeof Media>;
export type MediaAsset = Static<typeof shapes.Item>;
export type ChangeMediaAsset = Static<typeof shapes.Change>;

/** An asset as it is stored. */
export type MediaAssetRow = Omit<MediaAsset, 'url' | 'variants'> & {
  /** More than one for an animation. */
  frames: number;
  /** Whether no pixel is transparent. */
  opaque: boolean;
};

/** The text fields of an upload. */
export const UploadFields = object(
  {
    altText: Type.Optional(AltText),
    externalId: Type.Optional(ExternalId),
  },
  { $id: 'MediaUploadFields' },
);
export type UploadFields = Static<typeof UploadFields>;

export const MediaAssetQuery = integrationQuery({ kind: Type.Optional(Kind) });

export const SetStoreLogo = object({ mediaAssetId: nullable(Uuid) }, { $id: 'SetStoreLogo' });
export const StoreLogo = object({ logoUrl: nullable(Url) }, { $id: 'StoreLogo' });
