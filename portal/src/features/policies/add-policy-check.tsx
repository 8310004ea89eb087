/** Adds a check to a policy: an operation, and the rule that opens a work unit by its results on the devices of the policy. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { addPolicyCheck } from '@cloudfit/contract/calls.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { policyTexts } from '@cloudfit/contract/messages/policies.en.ts';
import type { PolicyOperation } from '@cloudfit/contract/policies/settings.ts';
import { policies } from '@cloudfit/contract/resources/policies.ts';
import { rules } from '@cloudfit/contract/resources/rules.ts';
import type { Row } from '@cloudfit/contract/resource.ts';
import { saysUpOrDown } from '@cloudfit/contract/packages/says-up-or-down.ts';
import { call } from '../../api/call.ts';
import { useCommand } from '../../calls/command.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { CheckFields, firstCheck, type ChosenCheck } from '../../entities/check-fields.tsx';
import { lacksParameter, OperationChoice, OperationFields, operationFor, useOperations, type OfferedOperation } from './policy-inputs.tsx';

const t = policyTexts.check;

interface AddPolicyCheckProps {
  policy: Row<typeof policies>;
  onClose: () => void;
}

export function AddPolicyCheck({ policy, onClose }: AddPolicyCheckProps) {
  const { data, isLoading } = useOperations(policy.tenantId);
  const [chosen, setChosen] = useState<OfferedOperation>();
  const [operation, setOperation] = useState<PolicyOperation>();
  const [check, setCheck] = useState<ChosenCheck | null>(null);
  const [isTried, setTried] = useState(false);
  const fields = useRef<HTMLFieldSetElement>(null);
  const { run, isBusy } = useCommand(
    (sent: { operation: PolicyOperation; check: ChosenCheck }) =>
      call(addPolicyCheck, { id: policy.policyId, operation: sent.operation, ...sent.check }, { creates: true }),
    { done: () => t.done, about: policy, refreshes: [policies.name, rules.name] },
  );
  const choose = (offered: OfferedOperation) => {
    setChosen(offered);
    setOperation(operationFor(offered, policy.operations));
    setCheck(firstCheck(saysUpOrDown(offered.operationTypeId)));
  };
  const add = async () => {
    if (!chosen || !operation || !check) return;
    if (lacksParameter(operation, chosen)) {
      flushSync(() => setTried(true));
      fields.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus();
    } else if (await run({ operation, check })) onClose();
  };
  return (
    <Dialog
      title={t.title(policy.name)}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button look="primary" disabled={!operation || !check || isBusy} onClick={() => void add()}>
            {t.add}
          </Button>
        </>
      }
    >
      <p className="muted">{t.text}</p>
      {chosen && operation ? (
        <div className="policy-things">
          <fieldset ref={fields} className="policy-thing">
            <legend>{`${chosen.name} (${chosen.package?.name ?? ''})`}</legend>
            <OperationFields
              item={operation}
              definition={chosen}
              isTried={isTried}
              onChange={(change) => setOperation({ ...operation, ...change })}
            />
          </fieldset>
          <CheckFields check={check} saysUpOrDown={saysUpOrDown(chosen.operationTypeId)} onChange={setCheck} />
          {!check && <p className="faint">{t.withoutRule}</p>}
        </div>
      ) : (
        <OperationChoice offered={data?.rows ?? []} isLoading={isLoading} onChoose={choose} />
      )}
    </Dialog>
  );
}
