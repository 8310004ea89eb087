-- What a protocol does after a step that failed for good, and after one that is still tried when its time is over.
alter table protocol_action
  add column on_failure text not null default 'Continue',
  add column on_late text not null default 'Continue',
  add column late_after int not null default 300;
