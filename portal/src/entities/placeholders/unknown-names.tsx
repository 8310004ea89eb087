import { placeholderTexts as t } from '@cloudfit/contract/messages/placeholder.en.ts';
import { unknownNames } from '@cloudfit/contract/rules/placeholders.ts';
import { Button } from '../../components/button.tsx';

interface UnknownNamesProps {
  id: string;
  text: string;
  /** The parameters of the action. */
  ownNames: readonly string[];
  /** Undefined if the text cannot be changed. */
  onChange: ((text: string) => void) | undefined;
}

/** Lists the unknown placeholders of a text, each with the known placeholder that was probably meant, if any. */
export function UnknownNames({ id, text, ownNames, onChange }: UnknownNamesProps) {
  const unknown = unknownNames(text, ownNames);
  if (unknown.length === 0) return null;
  return (
    <div id={id} className="unknown-names">
      {unknown.map(({ name, like }) => (
        <p key={name}>
          <span>{like ? `${t.unknown(name)} ${t.like(like)}` : t.unknown(name)}</span>
          {like && onChange && (
            <Button
              small
              look="quiet"
              onClick={() => onChange(text.replaceAll(`{${name}}`, `{${like}}`).replaceAll(`{${name}|`, `{${like}|`))}
            >
              {t.use(like)}
            </Button>
          )}
        </p>
      ))}
    </div>
  );
}
