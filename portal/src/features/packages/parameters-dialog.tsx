import { labelOf, parameterSources } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import type { ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { EmptyState } from '../../components/states.tsx';
import { ColumnHeads } from '../../components/table/column-heads.tsx';
import './packages.css';

const t = packageTexts;

interface ParametersDialogProps {
  operation: string;
  definitions: readonly ParameterDefinition[];
  onClose: () => void;
}

/** The parameters of an operation (PKG-007). */
export function ParametersDialog({ operation, definitions, onClose }: ParametersDialogProps) {
  const title = t.operations.parametersOf(operation);
  return (
    <Dialog
      title={title}
      width="md"
      onClose={onClose}
      actions={
        <Button autoFocus onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {definitions.length === 0 ? (
        <EmptyState small title={t.operations.noParameters} />
      ) : (
        <div className="part-table" role="region" aria-label={packageTexts.operations.parameters} tabIndex={0}>
          <table className="table parameters" aria-label={title}>
            <ColumnHeads names={Object.values(t.parameter)} />
            <tbody>
              {definitions.map((definition) => (
                <tr key={definition.Name}>
                  <td className="strong">{definition.Name}</td>
                  <td data-label={t.parameter.description}>{definition.Description || en.common.none}</td>
                  <td data-label={t.parameter.required}>{definition.Required ? en.common.yesValue : en.common.noValue}</td>
                  <td data-label={t.parameter.source}>{labelOf(parameterSources, definition.Source)}</td>
                  <td data-label={t.parameter.default}>
                    {definition.DefaultValue ? <span className="mono">{definition.DefaultValue}</span> : en.common.none}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}
