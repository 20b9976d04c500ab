/**
 * Writes a drawing as PNG to the standard output: `node render.ts <file.svg>`. A program of its own, since a box in the
 * same process does not let sharp read SVG.
 */
import sharp from 'sharp';

process.stdout.write(await sharp(process.argv[2]).png().toBuffer());
