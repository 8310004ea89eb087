-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: osticket
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `ost_ticket`;
CREATE TABLE `ost_ticket` (
  `ticket_id` int unsigned NOT NULL AUTO_INCREMENT,
  `number` varchar(20) DEFAULT NULL,
  `user_id` int unsigned NOT NULL DEFAULT '0',
  `status_id` int unsigned NOT NULL DEFAULT '0',
  `dept_id` int unsigned NOT NULL DEFAULT '0',
  `topic_id` int unsigned NOT NULL DEFAULT '0',
  `staff_id` int unsigned NOT NULL DEFAULT '0',
  `team_id` int unsigned NOT NULL DEFAULT '0',
  `source` enum('Web','Email','Phone','API','Other') NOT NULL DEFAULT 'Other',
  `closed` datetime DEFAULT NULL,
  `lastupdate` datetime DEFAULT NULL,
  `created` datetime NOT NULL,
  PRIMARY KEY (`ticket_id`),
  KEY `user_id` (`user_id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;
INSERT INTO `ost_ticket` VALUES (1,'480123',2,3,1,1,1,0,'Email','2026-02-02 12:00:00','2026-02-02 12:00:00','2026-02-01 08:00:00'),(2,'480124',2,6,1,2,0,0,'Web',NULL,'2026-02-05 09:00:00','2026-02-05 09:00:00');
INSERT INTO `ost_ticket__cdata` (`ticket_id`,`subject`,`priority`) VALUES (1,'It\'s the VPN; \"again\"','4'),(2,'Keyboard','2');
INSERT INTO `ost_ticket_priority` (`priority_id`,`priority`,`priority_desc`) VALUES (2,'normal','Normal'),(4,'emergency','Emergency');
INSERT INTO `ost_ticket_status` (`id`,`name`,`state`) VALUES (1,'Open','open'),(3,'Closed','closed'),(6,'At the supplier','open');
INSERT INTO `ost_user` (`id`,`org_id`,`default_email_id`,`name`) VALUES (2,0,2,'Cy Clay');
INSERT INTO `ost_user_email` (`id`,`user_id`,`flags`,`address`) VALUES (2,2,0,'cy@example.com');
INSERT INTO `ost_staff` (`staff_id`,`username`,`firstname`,`lastname`,`email`) VALUES (1,'ann','Ann','Arbor','ann@example.com');
INSERT INTO `ost_department` (`id`,`name`) VALUES (1,'Support');
INSERT INTO `ost_help_topic` (`topic_id`,`topic`) VALUES (1,'Network'),(2,'Hardware');
INSERT INTO `ost_thread` (`id`,`object_id`,`object_type`) VALUES (11,1,'T'),(12,2,'T');
INSERT INTO `ost_thread_entry` (`id`,`pid`,`thread_id`,`staff_id`,`user_id`,`type`,`poster`,`title`,`body`,`format`,`created`) VALUES (101,0,11,0,2,'M','Cy Clay','It\'s the VPN','<p>No tunnel.</p>\n<p>Since <b>eight</b>.</p>','html','2026-02-01 08:00:00'),(102,101,11,1,0,'N','Ann Arbor',NULL,'Ask (the provider), then call; \'soon\'.','text','2026-02-01 09:00:00'),(103,101,11,1,0,'R','Ann Arbor',NULL,0x4974206973206261636b2e,'text','2026-02-02 12:00:00'),(104,0,12,0,2,'M','Cy Clay','Keyboard','A key is missing.','text','2026-02-05 09:00:00');
INSERT INTO `ost_attachment` (`id`,`object_id`,`type`,`file_id`,`name`) VALUES (1,101,'H',5,NULL);
INSERT INTO `ost_file` (`id`,`name`,`size`) VALUES (5,'log.txt',1200);
