/// <reference path="./libraries.d.ts" />
/**
 * Makes a PDF of sheets. It runs in a compute process, since its texts decide what it costs.
 *
 * The file is a PDF/A-3 (ISO 19005-3, level B): it contains its fonts and colours and can be read in the same form as long
 * as it has to be kept. It has no date but that of the first sheet, so the same sheets give the same bytes.
 */
import PDFDocument from 'pdfkit';
import { facturX } from './factur-x.ts';
import { readAsset } from './fonts.ts';
import { Page } from './layout.ts';
import type { Sheet } from './sheet.ts';

export interface Drawing {
  /** At least one; each begins on a new page. */
  sheets: Sheet[];
  /** Of the document, for lists of files. */
  title: string;
  author: string;
  /** An electronic invoice in CII, which makes the file a Factur-X (ZUGFeRD). */
  electronic?: string;
}

export default async function draw({ sheets, title, author, electronic }: Drawing): Promise<Uint8Array> {
  const [first] = sheets as [Sheet];
  const day = new Date(`${first.day}T00:00:00Z`);
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    autoFirstPage: false,
    font: '',
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    lang: first.language,
    info: { Title: title, Author: author, CreationDate: day, ModDate: day },
  });
  // The library reads the profile beside its own file, which a bundle does not have.
  document._addColorOutputIntent = () => addColours(document);
  const chunks: Uint8Array[] = [];
  const ended = (async () => {
    for await (const chunk of document) chunks.push(chunk);
  })();
  for (const sheet of sheets) {
    const start = document.bufferedPageRange().count;
    const page = new Page(document, sheet);
    page.draw();
    page.drawFooters(start, document.bufferedPageRange().count - start);
  }
  if (electronic !== undefined) attach(document, electronic, day);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** States that colours are those of sRGB. */
function addColours(document: PDFDocument): void {
  const profile = readAsset('sRGB.icc');
  const stream = document.ref({ N: 3 });
  stream.end(Buffer.from(profile));
  // The library writes objects of String as texts, and texts as names.
  const name = Object('sRGB IEC61966-2.1');
  const intent = document.ref({
    Type: 'OutputIntent',
    S: 'GTS_PDFA1',
    Info: name,
    OutputConditionIdentifier: name,
    DestOutputProfile: stream,
  });
  intent.end();
  document._root.data.OutputIntents = [intent];
}

function attach(document: PDFDocument, electronic: string, day: Date): void {
  document.file(Buffer.from(electronic), {
    name: facturX.fileName,
    type: 'text/xml',
    // The same invoice in another form.
    relationship: 'Alternative',
    creationDate: day,
    modifiedDate: day,
  });
  document.appendXML(facturX.metadata);
}
