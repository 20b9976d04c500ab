/**
 * Settings of media, read from the environment.
 */
import { oneOf, packageSettings, type Static, type TObject, Type } from '@carton/runtime';
import type { S3Settings } from './storage/storage.ts';

/** Bytes of a MiB. */
export const megabyte = 1024 * 1024;
/** Sizes are stored as `integer`. */
const maximumMegabytes = 2047;

/** The highest limit that can be set. */
export const maximumMegapixels = 500;

export interface MediaSettings {
  /** The folder with the files; null for `media` in the data folder of the box. */
  folder: string | null;
  /** The bucket in place of the folder. */
  s3: S3Settings | null;
  /** The largest file, in bytes. */
  fileSize: number;
  /** The largest picture file, in bytes. */
  pictureSize: number;
  /** The most pixels of a picture, over all its frames. */
  pixels: number;
  /** MiB of a store; null for no limit. */
  quotaMegabytes: number | null;
}

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

const storageSettings = {
  MEDIA_STORAGE: oneOf(['files', 's3'], {
    default: 'files',
    description: 'Where media files are stored: in a folder, or in a bucket of Amazon S3 or a compatible service',
  }),
  MEDIA_FOLDER: text(
    "The folder of media files, the same for all replicas; `data/media` in the box's folder by default",
  ),
  MEDIA_S3_BUCKET: text('The bucket; it needs no public access'),
  MEDIA_S3_REGION: Type.String({ minLength: 1, default: 'us-east-1', description: 'The region of the bucket' }),
  MEDIA_S3_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description: "The address of a compatible service, which clients reach as well; Amazon's by default",
    }),
  ),
  MEDIA_S3_ACCESS_KEY_ID: text(
    "The access key; without one, the credentials of the machine are used, as by Amazon's tools",
  ),
  MEDIA_S3_SECRET_ACCESS_KEY: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'The secret of the access key', writeOnly: true }),
  ),
};

function s3SettingsOf(values: Static<TObject<typeof storageSettings>>): S3Settings | null {
  const { MEDIA_S3_BUCKET: bucket, MEDIA_S3_ACCESS_KEY_ID: id, MEDIA_S3_SECRET_ACCESS_KEY: secret } = values;
  if (values.MEDIA_STORAGE === 'files') return null;
  if (bucket === undefined) throw new Error('MEDIA_S3_BUCKET is missing: MEDIA_STORAGE is s3');
  if ((id === undefined) !== (secret === undefined)) {
    throw new Error('MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY belong together');
  }
  return {
    bucket,
    region: values.MEDIA_S3_REGION,
    endpoint: values.MEDIA_S3_ENDPOINT ?? null,
    credentials: id !== undefined && secret !== undefined ? { accessKeyId: id, secretAccessKey: secret } : null,
  };
}

export const mediaSettings = packageSettings(
  {
    ...storageSettings,
    MEDIA_FILE_MEGABYTES: Type.Integer({
      minimum: 1,
      maximum: maximumMegabytes,
      default: 100,
      description: 'Largest media file (video, PDF) in MiB',
    }),
    MEDIA_PICTURE_MEGABYTES: Type.Integer({
      minimum: 1,
      maximum: 200,
      default: 25,
      description: 'Largest picture file in MiB',
    }),
    MEDIA_PICTURE_MEGAPIXELS: Type.Integer({
      minimum: 1,
      maximum: maximumMegapixels,
      default: 50,
      description:
        'Most pixels of a picture in millions, over all frames of an animation; decoding takes 4 bytes for each, and each worker decodes two pictures at a time, of different stores',
    }),
    MEDIA_QUOTA_MEGABYTES: Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      default: 10_240,
      description:
        'Space for the media files of a store in MiB, without their sized variants, where the operator sets no other quota; 0 for no limit',
    }),
  },
  (values): MediaSettings => ({
    folder: values.MEDIA_FOLDER ?? null,
    s3: s3SettingsOf(values),
    fileSize: values.MEDIA_FILE_MEGABYTES * megabyte,
    pictureSize: values.MEDIA_PICTURE_MEGABYTES * megabyte,
    pixels: values.MEDIA_PICTURE_MEGAPIXELS * 1_000_000,
    quotaMegabytes: values.MEDIA_QUOTA_MEGABYTES === 0 ? null : values.MEDIA_QUOTA_MEGABYTES,
  }),
);
