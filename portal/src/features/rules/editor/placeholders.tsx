import { rulePlaceholders } from '@cloudfit/contract/rules/placeholders.ts';
import { ruleEditorTexts } from '@cloudfit/contract/messages/rule-editor.en.ts';
import { copyText } from '../../../components/copy.ts';

const t = ruleEditorTexts.actions;
const reaches = ['always', 'device', 'part', 'workUnit'] as const;

/** The values that may be used in the parameters of actions. */
export function Placeholders() {
  return (
    <details className="placeholders">
      <summary>{t.placeholders}</summary>
      <p className="muted">{t.placeholdersText}</p>
      <dl>
        {reaches.map((reach) => (
          <div key={reach}>
            <dt>{t.reach[reach]}</dt>
            <dd>
              {rulePlaceholders
                .filter((one) => one.reach === reach)
                .map(({ id, name }) => (
                  <button
                    key={id}
                    type="button"
                    className="chip"
                    title={name}
                    onClick={() => void copyText(`{${id}}`, t.copied(`{${id}}`))}
                  >
                    {`{${id}}`}
                  </button>
                ))}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
