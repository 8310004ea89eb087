import { actionCatalogTexts as t } from '@cloudfit/contract/messages/action-catalog.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { useMay } from '../../api/lookups.ts';
import { Button } from '../../components/button.tsx';
import type { CatalogPanel } from './use-catalog-panels.ts';

interface ActionButtonsProps {
  id: string;
  isBuiltIn: boolean;
  show: (panel: CatalogPanel, actionDefinitionId: string) => void;
}

/** The test and delete actions of an action definition as buttons, for the panel, which has no row menu. */
export function ActionButtons({ id, isBuiltIn, show }: ActionButtonsProps) {
  const may = useMay();
  return (
    <div className="row panel-top">
      {may('ActionDefinitions', 'edit') && (
        <Button small icon="actions" onClick={() => show('testOf', id)}>
          {t.test.action}
        </Button>
      )}
      {may('ActionDefinitions', 'delete') && !isBuiltIn && (
        <Button small icon="trash" look="danger" onClick={() => show('deleteOf', id)}>
          {en.common.delete}
        </Button>
      )}
    </div>
  );
}
