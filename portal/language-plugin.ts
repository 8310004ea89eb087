/** Builds the portal in another language than English: its catalogue and the labels of declarations are replaced. */
import { existsSync } from 'node:fs';
import type { Plugin } from 'vite';
import { labels } from '../contract/src/messages/labels.de.ts';
import { declares, withLabels } from './german-labels.ts';

/** The language of this build or development server. */
export const language = process.env['PORTAL_LANGUAGE'] === 'de' ? 'de' : 'en';

/** The file of a catalogue in another language, by the English one. */
const translationOf = (file: string): string => file.replace(/(^|[./])en\.ts$/, `$1${language}.ts`);

/** Resolves each English catalogue to its translation, and translates the labels in declarations. */
export function translate(): Plugin[] {
  if (language === 'en') return [];
  return [
    {
      name: 'translate',
      enforce: 'pre',
      async resolveId(source, importer, options) {
        if (!/(^|[./])en\.ts$/.test(source)) return null;
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
        if (!resolved || !/contract\/src\/messages\/[^/]+$/.test(resolved.id)) return resolved;
        const file = translationOf(resolved.id);
        // A translation may take from the English catalogue what is no text.
        if (importer === file) return resolved;
        if (!existsSync(file)) this.error(`${resolved.id} has no translation ${file}.`);
        return { ...resolved, id: file };
      },
      transform(code, id) {
        if (!declares(id)) return null;
        return {
          code: withLabels(id, code, labels, (label) => this.error(`${label} of ${id} is not in labels.${language}.ts.`)),
          map: null,
        };
      },
      transformIndexHtml: (page) =>
        page.replace('<html lang="en">', `<html lang="${language}">`).replace('CloudFit needs JavaScript.', 'CloudFit braucht JavaScript.'),
    },
  ];
}
