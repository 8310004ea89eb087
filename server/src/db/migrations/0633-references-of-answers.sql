-- Where the answer to an action names what its receiver has made, such as a ticket: the field of its id, and its address.
alter table action_definition
  add column reference_field text,
  add column reference_address text;
