import { labelOf, parameterSources } from '@cloudfit/contract/enums.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import type { ParameterDefinition } from '@cloudfit/contract/packages/parameters.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { EmptyState } from '../../components/states.tsx';
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
            <thead>
              <tr>
                {Object.values(t.parameter).map((header) => (
                  <th key={header} scope="col">
                    {header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {definitions.map((one) => (
                <tr key={one.Name}>
                  <td className="strong">{one.Name}</td>
                  <td data-label={t.parameter.description}>{one.Description || en.common.none}</td>
                  <td data-label={t.parameter.required}>{one.Required ? en.common.yesValue : en.common.noValue}</td>
                  <td data-label={t.parameter.source}>{labelOf(parameterSources, one.Source)}</td>
                  <td data-label={t.parameter.default}>
                    {one.DefaultValue ? <span className="mono">{one.DefaultValue}</span> : en.common.none}
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
