-- PostgreSQL never counts a table of partitions by itself; the partitions have their own statistics already.
analyze only audit;
analyze only rule_evaluation;
analyze only device_log;
